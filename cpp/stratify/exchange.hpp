// The end of an annealing search: exact sizes, and exchanges of two items.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "anneal.hpp"

namespace trueval {

// Moves single rows, the cheapest first, until every size is as wanted. Returns the
// moves made.
inline int64_t settle(SearchState<UnitTable> &s) {
    s.activate(s.p.n_classes);
    struct Candidate {
        int32_t price;
        int64_t item;
        int to;
    };
    std::vector<Candidate> found;
    int64_t moves = 0;
    // Invariant: each round lowers the number of misplaced rows.
    for (;;) {
        int64_t over = 0, under = 0;
        for (int j = 0; j < s.k; j++) {
            over += std::max<int64_t>(0, s.size[j] - s.p.high[j]);
            under += std::max<int64_t>(0, s.p.low[j] - s.size[j]);
        }
        const int64_t needed = std::max(over, under);
        if (needed == 0) return moves;
        auto may_give = [&](int j) { return s.size[j] > (over ? s.p.high[j] : s.p.low[j]); };
        auto may_take = [&](int j) { return s.size[j] < (under ? s.p.low[j] : s.p.high[j]); };
        found.clear();
        for (int64_t item = 0; item < s.p.n_items; item++) {
            const int from = s.part[item];
            if (!may_give(from)) continue;
            s.price_all(item);
            int to = -1;
            for (int j = 0; j < s.k; j++)
                if (may_take(j) && (to < 0 || s.price[j] < s.price[to])) to = j;
            if (to >= 0) found.push_back({s.price[to] - s.price[from], item, to});
        }
        if (found.empty()) return moves;  // what is fixed already breaks the sizes
        auto cheaper = [](const Candidate &a, const Candidate &b) {
            return a.price != b.price ? a.price < b.price : a.item < b.item;
        };
        // Half of what is needed, then prices are taken anew.
        const size_t batch = std::min(found.size(), static_cast<size_t>((needed + 1) / 2));
        std::partial_sort(found.begin(), found.begin() + batch, found.end(), cheaper);
        for (size_t f = 0; f < batch; f++) {
            if (!may_give(s.part[found[f].item]) || !may_take(found[f].to)) continue;
            s.move(found[f].item, found[f].to);
            moves++;
        }
    }
}

// `gone`: the price of moving the item to `to`. Returns whether they changed places.
template <typename Table>
bool try_exchange(SearchState<Table> &s, int64_t item, int to, typename Table::Price gone,
                  int64_t other) {
    if (s.part[other] != to) return false;
    const int from = s.part[item];
    s.move(item, to);
    s.price_all(other);
    if (gone + s.price[from] - s.price[to] < Table::kStrict) {
        s.move(other, from);
        return true;
    }
    s.move(item, from);
    return false;
}

// One strict visit to every item that exchanges it with one of another part where that
// is an improvement. Partners are the item that is cheapest to move the other way among
// those seen so far, and `partners` random ones: like items may not be cheap to move one
// by one. Returns the exchanges made.
template <typename Table>
int64_t exchange(SearchState<Table> &s, int partners) {
    using Price = typename Table::Price;
    s.activate(s.p.n_classes);
    s.shuffle();
    const int k = s.k;
    struct Waiting {
        Price price;
        int64_t item;
    };
    std::vector<Waiting> waiting(static_cast<size_t>(k) * k, Waiting{0, -1});
    std::vector<Price> own(k);  // price of moving the item visited to each part
    int64_t exchanges = 0;
    for (const int64_t block : s.order) {
        const int64_t last = std::min(s.p.n_items, (block + 1) * s.block);
        // Invariant: waiting[i * k + j] was, when seen, the cheapest item to move from i to j.
        for (int64_t item = block * s.block; item < last; item++) {
            const int from = s.part[item];
            s.price_all(item);
            for (int j = 0; j < k; j++) own[j] = s.price[j] - s.price[from];
            int to = from;
            Price least = Table::kStrict;
            for (int j = 0; j < k; j++) {
                const Waiting &there = waiting[j * k + from];
                if (j == from || there.item < 0) continue;
                if (own[j] + there.price < least) least = own[j] + there.price, to = j;
            }
            bool done = false;
            if (to != from) {
                const int64_t other = waiting[to * k + from].item;
                waiting[to * k + from].item = -1;  // gone, or dearer than it was
                done = try_exchange(s, item, to, own[to], other);
            }
            for (int t = 0; t < partners && !done; t++) {
                const int64_t other = s.random.below(static_cast<uint32_t>(s.p.n_items));
                to = s.part[other];
                done = to != from && try_exchange(s, item, to, own[to], other);
            }
            exchanges += done;
            for (int j = 0; j < k && !done; j++) {
                Waiting &mine = waiting[from * k + j];
                if (j != from && (mine.item < 0 || own[j] < mine.price)) mine = {own[j], item};
            }
        }
    }
    return exchanges;
}

// The same with every other item in turn. Returns the exchanges made.
template <typename Table>
int64_t exchange_all(SearchState<Table> &s) {
    s.activate(s.p.n_classes);
    s.shuffle();
    std::vector<typename Table::Price> own(s.k);
    int64_t exchanges = 0;
    for (const int64_t block : s.order) {
        const int64_t last = std::min(s.p.n_items, (block + 1) * s.block);
        for (int64_t item = block * s.block; item < last; item++) {
            bool fresh = false;  // whether `own` is true
            for (int64_t other = 0; other < s.p.n_items; other++) {
                const int from = s.part[item], to = s.part[other];
                if (to == from) continue;
                if (!fresh) {
                    s.price_all(item);
                    for (int j = 0; j < s.k; j++) own[j] = s.price[j] - s.price[from];
                    fresh = true;
                }
                if (try_exchange(s, item, to, own[to], other)) exchanges++, fresh = false;
            }
        }
    }
    return exchanges;
}

}  // namespace trueval

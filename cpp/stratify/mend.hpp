// Exchanges that mend single classes at the end of an annealing search of rows.
//
// A class costs more than it must if there are parts `from` and `to` such that one member
// less in `from` and one more in `to` is cheaper. An exchange that gains from this takes a row
// of `from` with the class and one of `to` without it. Of each kind those that are the cheapest to
// move alone are tried with each other.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "state.hpp"

namespace trueval {

class Mending {
public:
    static constexpr size_t kMost = 16;            // rows of a kind that are tried
    static constexpr int kVisit = 24, kLabel = 8;  // work of a price, in label visits of a sweep
    static constexpr int kCells = 4;               // cells that are looked at for a label visit

    explicit Mending(SearchState<UnitTable> &state)
        : s(state), place_(s.p.n_items), rows_(s.k), first_(s.p.n_classes + 1, 0),
          has_(s.p.n_items, 0) {
        s.activate(s.p.n_classes);
        for (int64_t item = 0; item < s.p.n_items; item++) {
            std::vector<int32_t> &rows = rows_[s.part[item]];
            place_[item] = static_cast<int32_t>(rows.size());
            rows.push_back(static_cast<int32_t>(item));
        }
        list_members();
    }

    // Visits the broken classes, from the first to the last, until no visit gains or the work is
    // done; every exchange is worth some more work. Returns the exchanges.
    int64_t run(int64_t work, int64_t reward) {
        int64_t exchanges = 0, before = -1;
        std::vector<int64_t> broken;
        left_ = work, reward_ = reward;
        // Invariant: each exchange has lowered the sum of all costs.
        while (exchanges > before && left_ > 0) {
            before = exchanges;
            left_ -= s.p.n_classes * s.k / kCells;
            broken.clear();
            for (int64_t c = 0; c < s.p.n_classes; c++)
                if (is_broken(c)) broken.push_back(c);
            for (size_t x = 0; x < broken.size() && left_ > 0; x++)
                exchanges += mend(broken[x], left_ - left_ / static_cast<int64_t>(broken.size() - x));
        }
        return exchanges;
    }

private:
    struct Candidate {
        int32_t price, item;
        bool operator<(const Candidate &other) const {
            return price != other.price ? price < other.price : item < other.item;
        }
    };
    SearchState<UnitTable> &s;
    std::vector<int32_t> place_;              // of each item among the rows of its part
    std::vector<std::vector<int32_t>> rows_;  // items of each part
    std::vector<int64_t> first_;              // where the members of each class begin ...
    std::vector<int32_t> members_;            // ... among these
    std::vector<uint8_t> has_;                // whether an item has the class that is mended
    std::vector<Candidate> going_, coming_;
    int64_t left_ = 0, reward_ = 0;  // work

    void list_members() {
        for (int64_t item = 0; item < s.p.n_items; item++)
            for (int64_t e = s.p.begin(item); e < s.p.end(item); e++) first_[s.p.indices[e] + 1]++;
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        members_.resize(first_.back());
        std::vector<int64_t> next(first_.begin(), first_.end() - 1);
        for (int64_t item = 0; item < s.p.n_items; item++)
            for (int64_t e = s.p.begin(item); e < s.p.end(item); e++)
                members_[next[s.p.indices[e]]++] = static_cast<int32_t>(item);
    }

    bool gains(int64_t c, int from, int to) const {
        return s.table.one_more(c, to, 0) < s.table.one_more(c, from, 1);
    }
    int32_t cheapest(int64_t c) const {
        int32_t least = s.table.one_more(c, 0, 0);
        for (int j = 1; j < s.k; j++) least = std::min(least, s.table.one_more(c, j, 0));
        return least;
    }
    bool is_broken(int64_t c) const {
        int32_t dearest = s.table.one_more(c, 0, 1);
        for (int j = 1; j < s.k; j++) dearest = std::max(dearest, s.table.one_more(c, j, 1));
        return cheapest(c) < dearest;
    }

    // Spends no more work than to leave the least.
    int64_t mend(int64_t c, int64_t least) {
        for (int64_t m = first_[c]; m < first_[c + 1]; m++) has_[members_[m]] = 1;
        int64_t exchanges = 0;
        int32_t best = cheapest(c);
        // Invariant: no part takes one more member of c for less than `best`.
        for (int from = 0; from < s.k; from++) {
            if (s.table.one_more(c, from, 1) <= best) continue;
            for (int to = 0; to < s.k; to++)
                while (left_ > least && gains(c, from, to) && exchange(c, from, to)) {
                    exchanges++;
                    left_ += reward_;
                    best = cheapest(c);
                }
        }
        for (int64_t m = first_[c]; m < first_[c + 1]; m++) has_[members_[m]] = 0;
        return exchanges;
    }

    // The first exchange that gains, the cheapest rows first. Returns whether there is one.
    bool exchange(int64_t c, int from, int to) {
        going_.clear(), coming_.clear();
        for (int64_t m = first_[c]; m < first_[c + 1]; m++)
            if (s.part[members_[m]] == from)
                going_.push_back({price(members_[m], from, to), members_[m]});
        for (const int32_t item : rows_[to])
            if (!has_[item]) coming_.push_back({price(item, to, from), item});
        keep_cheapest(going_), keep_cheapest(coming_);
        for (const Candidate &x : going_) {
            s.move(x.item, to);
            for (const Candidate &y : coming_)
                if (x.price + price(y.item, to, from) < UnitTable::kStrict) {
                    s.move(y.item, from);
                    std::swap(place_[x.item], place_[y.item]);
                    rows_[to][place_[x.item]] = x.item, rows_[from][place_[y.item]] = y.item;
                    return true;
                }
            s.move(x.item, from);
        }
        return false;
    }

    static void keep_cheapest(std::vector<Candidate> &list) {
        const size_t n = std::min(list.size(), kMost);
        std::partial_sort(list.begin(), list.begin() + n, list.end());
        list.resize(n);
    }

    int32_t price(int32_t item, int from, int to) {
        const Span span = s.span(item);
        left_ -= kLabel * (span.end - span.begin) + kVisit;
        return s.table.price_of_move(span, from, to);
    }
};

}  // namespace trueval

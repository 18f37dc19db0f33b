// The state of an annealing search: which item is in which part, the sizes of the
// parts, and the table of classes that agrees with them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../random.hpp"
#include "table.hpp"

namespace trueval {

template <typename Table>
class SearchState {
public:
    using Price = typename Table::Price;
    static constexpr int64_t kLargestBlock = 64, kLeastBlocks = 1024;

    SearchState(const AnnealProblem &problem, int32_t *part_of_item, uint64_t seed)
        : p(problem),
          k(problem.n_parts),
          part(part_of_item),
          table(problem),
          random{seed},
          size(problem.base_sizes, problem.base_sizes + problem.n_parts),
          price(table.lanes()),
          block(std::clamp<int64_t>(problem.n_items / kLeastBlocks, 1, kLargestBlock)),
          order((problem.n_items + block - 1) / block),
          length(problem.n_items, 0) {
        std::iota(order.begin(), order.end(), 0);
        for (int64_t i = 0; i < p.n_items; i++)
            if (part[i] >= 0) size[part[i]] += p.rows_in(i);
    }

    AnnealProblem p;
    int k;
    int32_t *part;
    Table table;
    SplitMix64 random;
    std::vector<int64_t> size;
    std::vector<Price> price;       // of the item looked at, by part
    int64_t block;                  // items in a block of neighbours
    std::vector<int32_t> order;     // of the blocks
    std::vector<int32_t> length;    // active classes of each item
    int64_t active = 0;             // the table is true for classes [0, active)

    Span span(int64_t item) const {
        const int64_t first = p.begin(item);
        return {p.indices + first, p.indices + first + length[item],
                Table::kGroups ? p.counts + first : nullptr};
    }
    // Ask for what a visit reads before it is needed: of an item its list, of a block of
    // items [first, first + block) what is known of them.
    void prefetch(int64_t item) const {
        const int32_t *list = p.indices + p.begin(item);
        fetch(list);
        if (length[item] > kLine) fetch(list + kLine);
    }
    void prefetch_block(int64_t first) const {
        fetch(p.indptr + p.list_of_item[first]);
        fetch(p.indptr + p.list_of_item[std::min(first + block, p.n_items) - 1] + 1);
        fetch(part + first);
        fetch(length.data() + first);
    }
    // Prices of all parts; that of the item's own part is for putting it back.
    void price_all(int64_t item) {
        table.price(span(item), part[item], price.data());
        if (p.edge_indptr == nullptr) return;
        for (int64_t e = p.edge_indptr[item]; e < p.edge_indptr[item + 1]; e++) {
            const int j = part_of_edge(e);
            if (j >= 0) price[j] -= static_cast<Price>(p.edge_price[e]);
        }
    }
    // What the edges between parts cost, each once.
    int64_t cut() const {
        int64_t sum = 0;
        if (p.edge_indptr == nullptr) return 0;
        for (int64_t item = 0; item < p.n_items; item++)
            for (int64_t e = p.edge_indptr[item]; e < p.edge_indptr[item + 1]; e++) {
                const bool twice = p.edge_to[e] >= 0 && p.edge_to[e] < item;
                if (!twice && part_of_edge(e) != part[item]) sum += p.edge_price[e];
            }
        return sum;
    }
    void place(int64_t item, int to) { shift(item, to, 1), part[item] = to; }
    void lift(int64_t item) { shift(item, part[item], -1), part[item] = -1; }
    void move(int64_t item, int to) { lift(item), place(item, to); }

    // Blocks of neighbours in random order: single items would be far apart in
    // memory, which makes visits of large data several times as slow.
    void shuffle() {
        for (int64_t i = static_cast<int64_t>(order.size()) - 1; i > 0; i--)
            std::swap(order[i], order[random.below(static_cast<uint32_t>(i + 1))]);
    }

    // Makes the table true for the classes [0, wanted); the others are forgotten.
    void activate(int64_t wanted) {
        wanted = std::min(wanted, p.n_classes);
        if (wanted == active) return;
        for (int64_t c = active; c < wanted; c++)
            for (int j = 0; j < k; j++)
                table.set_deviation(c, j, p.base_counts[c * k + j] - int64_t(p.whole[p.cell(c, j)]));
        for (int64_t item = 0; item < p.n_items; item++) {
            const int32_t *list = p.indices + p.begin(item), *stop = p.indices + p.end(item);
            Span added = span(item);
            length[item] = static_cast<int32_t>(std::lower_bound(list, stop, wanted) - list);
            if (wanted < active || part[item] < 0) continue;
            // Lists ascend, so the newly active classes follow those active before.
            if (Table::kGroups) added.counts += added.end - added.begin;
            added.begin = added.end;
            added.end = list + length[item];
            table.shift(added, part[item], 1);
        }
        active = wanted;
    }

    // The table anew after the parts of items were changed from outside.
    void restart() {
        active = 0;
        std::fill(length.begin(), length.end(), 0);
        std::copy(p.base_sizes, p.base_sizes + k, size.begin());
        for (int64_t i = 0; i < p.n_items; i++) size[part[i]] += p.rows_in(i);
    }

    // What each class costs in all parts together.
    std::vector<int64_t> costs() {
        activate(p.n_classes);
        std::vector<int64_t> sums(p.n_classes, 0);
        for (int64_t c = 0; c < p.n_classes; c++)
            for (int j = 0; j < k; j++) sums[c] += table.cost(c, j);
        return sums;
    }

    // Items in the given order, each to the part with the smallest increase of
    // sum (count - target)^2 / D plus a like term for the size. Items that have a
    // part keep it.
    void greedy(const int64_t *queue) {
        activate(p.n_classes);
        std::vector<float> sum(k);
        // Invariant: the items queue[0 .. x) are placed and counted.
        for (int64_t x = 0; x < p.n_items; x++) {
            const int64_t item = queue[x];
            if (part[item] >= 0) continue;
            const int32_t rows = p.rows_in(item);
            std::fill(sum.begin(), sum.end(), 0.f);
            for (int64_t e = p.begin(item); e < p.end(item); e++) {
                const int64_t c = p.indices[e];
                const float v = p.counts ? static_cast<float>(p.counts[e]) : 1.f;
                const float w = p.weight[c] * v;
                for (int j = 0; j < k; j++)
                    sum[j] += w * (static_cast<float>(table.deviation(c, j)) -
                                   p.fraction[p.cell(c, j)] + 0.5f * v);
            }
            place(item, emptiest(sum, rows));
        }
    }

private:
    static constexpr int32_t kLine = 16;  // 32-bit numbers in a cache line

    static void fetch(const void *address) {
#if defined(__GNUC__)
        __builtin_prefetch(address);
#else
        (void)address;
#endif
    }
    // Part at the other end of an edge; -1 for an item without one.
    int part_of_edge(int64_t e) const {
        const int32_t to = p.edge_to[e];
        return to >= 0 ? part[to] : ~to;
    }
    void shift(int64_t item, int to, int sign) {
        size[to] += sign * p.rows_in(item);
        table.shift(span(item), to, sign);
    }

    int emptiest(const std::vector<float> &sum, int32_t rows) const {
        int best = -1;
        float least = 0;
        for (int pass = 0; best < 0; pass++) {  // second pass: no part has room
            for (int j = 0; j < k; j++) {
                if (pass == 0 && size[j] + rows > p.high[j]) continue;
                const float wanted = 0.5f * static_cast<float>(p.low[j] + p.high[j]);
                const float fill =
                    (static_cast<float>(size[j]) - wanted) / std::max(wanted, 1.f);
                const float value = pass == 0 ? p.factor[j] * sum[j] + fill * rows : fill;
                if (best < 0 || value < least) best = j, least = value;
            }
        }
        return best;
    }
};

}  // namespace trueval

// Parts of a graph of similar items: clusters under a size limit, and the fewest items whose
// removal leaves no edge between parts.
//
// Graphs are symmetric CSR without a diagonal. Items have a size (rows) and a price (of leaving
// them out); a part holds items up to its capacity.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "../random.hpp"

namespace trueval {

struct Graph {
    int64_t n;
    const int64_t *indptr;
    const int32_t *indices;
    const double *weight;  // of each edge
    const int64_t *size;   // of each item

    int64_t begin(int64_t i) const { return indptr[i]; }
    int64_t end(int64_t i) const { return indptr[i + 1]; }
};

constexpr int64_t kBlock = 256;  // items that are looked at together, as they are near in memory

// Items in random order within blocks of consecutive items, and blocks in random order.
inline std::vector<int32_t> shuffled(int64_t n, SplitMix64 &random) {
    const int64_t n_blocks = (n + kBlock - 1) / kBlock;
    std::vector<int32_t> blocks(n_blocks), order;
    order.reserve(n);
    for (int64_t b = 0; b < n_blocks; b++) blocks[b] = static_cast<int32_t>(b);
    for (int64_t b = n_blocks - 1; b > 0; b--)
        std::swap(blocks[b], blocks[random.below(static_cast<uint32_t>(b + 1))]);
    for (const int32_t b : blocks) {
        const int64_t first = b * kBlock, last = std::min(n, first + kBlock);
        for (int64_t i = first; i < last; i++) order.push_back(static_cast<int32_t>(i));
        int32_t *block = order.data() + (order.size() - (last - first));
        for (int64_t i = last - first - 1; i > 0; i--)
            std::swap(block[i], block[random.below(static_cast<uint32_t>(i + 1))]);
    }
    return order;
}

constexpr int64_t kFew = 200;  // a sweep that moves less than one item in so many is the last

// Label propagation: every item in random order goes to the label with the largest weight of edges
// to it, if that has room and is strictly better than where it is. `load` is the size of each label,
// `pinned` items stay. From the second sweep on only neighbours of items that moved are looked at.
// Returns the moves of the last of at most `rounds` sweeps.
inline int64_t propagate(const Graph &g, const uint8_t *pinned, const int64_t *capacity,
                         int64_t *load, int32_t *label, int64_t n_labels, int rounds,
                         uint64_t seed) {
    SplitMix64 random{seed};
    std::vector<double> pull(n_labels, 0.0);
    std::vector<int32_t> seen;
    std::vector<uint8_t> changed(g.n, 1);  // whether a neighbour moved since the item was looked at
    int64_t moves = 0;
    for (int round = 0; round < rounds; round++) {
        moves = 0;
        // Invariant: load[l] is the size of all items with label l; pull is all zero.
        for (const int32_t i : shuffled(g.n, random)) {
            if (pinned[i] || !changed[i]) continue;
            changed[i] = 0;
            seen.clear();
            for (int64_t e = g.begin(i); e < g.end(i); e++) {
                const int32_t l = label[g.indices[e]];
                if (pull[l] == 0.0) seen.push_back(l);
                pull[l] += g.weight[e];
            }
            const int32_t from = label[i];
            int32_t best = from;
            double most = pull[from];
            for (const int32_t l : seen)
                if (l != from && pull[l] > most && load[l] + g.size[i] <= capacity[l])
                    best = l, most = pull[l];
            for (const int32_t l : seen) pull[l] = 0.0;
            if (best == from) continue;
            load[from] -= g.size[i], load[best] += g.size[i];
            label[i] = best;
            moves++;
            if (round + 1 < rounds)
                for (int64_t e = g.begin(i); e < g.end(i); e++) changed[g.indices[e]] = 1;
        }
        if (moves * kFew <= g.n) break;
    }
    return moves;
}

// A search for the cheapest items to leave out (part -1) so that no edge joins two parts.
class Separation {
public:
    Separation(const Graph &graph, const double *price, const uint8_t *pinned,
               const int64_t *capacity, int n_parts, int32_t *part, uint64_t seed)
        : g(graph), price_(price), pinned_(pinned), capacity_(capacity), k_(n_parts), part_(part),
          random_{seed}, load_(n_parts, 0), listed_(graph.n, 0), toll_(price, price + graph.n) {
        for (int64_t i = 0; i < g.n; i++) {
            if (part_[i] >= 0) load_[part_[i]] += g.size[i];
            if (pinned_[i]) toll_[i] = kNever;
        }
    }

    // Leaves out items, those that mend most crossing edges for their price first, until no edge
    // crosses. An edge of two pinned items is not looked at.
    void cover() {
        std::vector<double> crossing(g.n, 0.0);
        using Entry = std::pair<double, int32_t>;
        std::priority_queue<Entry> queue;
        auto value = [&](int64_t i) { return crossing[i] / std::max(price_[i], 1e-12); };
        for (int64_t i = 0; i < g.n; i++) {
            if (part_[i] < 0) continue;
            for (int64_t e = g.begin(i); e < g.end(i); e++) crossing[i] += crosses(i, g.indices[e]);
            if (crossing[i] > 0 && !pinned_[i]) queue.push({value(i), static_cast<int32_t>(i)});
        }
        // Invariant: crossing[i] counts the crossing edges of every item that is in a part.
        while (!queue.empty()) {
            const auto [old, i] = queue.top();
            queue.pop();
            if (part_[i] < 0 || crossing[i] == 0) continue;
            if (value(i) < old) {
                queue.push({value(i), i});
                continue;
            }
            for (int64_t e = g.begin(i); e < g.end(i); e++)
                if (crosses(i, g.indices[e])) crossing[g.indices[e]] -= 1;
            leave_out(i);
        }
    }

    // Visits to the items left out until `work` edges were looked at: an item returns to the part
    // where that leaves out the least others, at temperature T with probability exp(-cost / T).
    // With `make_room` a neighbour may go as well, so that a full part can take others instead:
    // long searches find fewer items with it, short ones more. Returns the price of what is left
    // out in the best state, which is the one that is kept.
    double search(double hot, double cold, int64_t work, bool make_room) {
        std::vector<int32_t> out;
        double total = 0;
        for (int64_t i = 0; i < g.n; i++)
            if (part_[i] < 0)
                out.push_back(static_cast<int32_t>(i)), listed_[i] = 1, total += price_[i];
        std::vector<int32_t> best(part_, part_ + g.n);
        double least = total;
        int64_t done = 0;
        // Invariant: no edge crosses (but of pinned items); `out` has every item without a part,
        // and listed_ marks what is in it.
        while (done < work && !out.empty()) {
            const double share = static_cast<double>(done) / static_cast<double>(work);
            const double temperature = hot * std::pow(cold / hot, share);
            for (int64_t x = static_cast<int64_t>(out.size()) - 1; x > 0; x--)
                std::swap(out[x], out[random_.below(static_cast<uint32_t>(x + 1))]);
            const size_t n = out.size();
            for (size_t x = 0; x < n; x++) {
                total += visit(out[x], temperature, out, done);
                if (make_room) total += drop_neighbour(out[x], temperature, out);
            }
            const auto returned = [&](int32_t i) {
                if (part_[i] >= 0) listed_[i] = 0;
                return part_[i] >= 0;
            };
            out.erase(std::remove_if(out.begin(), out.end(), returned), out.end());
            done += 1 + static_cast<int64_t>(n);
            if (total < least - 1e-9) least = total, std::copy(part_, part_ + g.n, best.begin());
        }
        std::copy(best.begin(), best.end(), part_);
        return least;
    }

private:
    static constexpr double kNever = 1e300;

    Graph g;
    const double *price_;
    const uint8_t *pinned_;
    const int64_t *capacity_;
    int k_;
    int32_t *part_;
    SplitMix64 random_;
    std::vector<int64_t> load_;
    std::vector<uint8_t> listed_;
    std::vector<double> toll_;  // of leaving an item out: its price, or never if it is pinned
    std::vector<double> cost_;

    bool crosses(int64_t i, int64_t j) const {
        return part_[i] >= 0 && part_[j] >= 0 && part_[i] != part_[j];
    }
    void leave_out(int64_t i) {
        load_[part_[i]] -= g.size[i];
        part_[i] = -1;
    }

    // Returns how much the price of what is left out changes.
    double visit(int32_t i, double temperature, std::vector<int32_t> &out, int64_t &done) {
        double all = 0;
        cost_.assign(k_, 0.0);
        for (int64_t e = g.begin(i); e < g.end(i); e++) {
            const int32_t j = g.indices[e];
            if (part_[j] < 0) continue;
            all += toll_[j], cost_[part_[j]] += toll_[j];
        }
        done += g.end(i) - g.begin(i);
        int to = -1, ties = 0;
        double least = kNever;
        for (int p = 0; p < k_; p++) {
            if (load_[p] + g.size[i] > capacity_[p]) continue;
            // All but what is in p; with a pinned neighbour elsewhere it is never allowed.
            const double cost = all >= kNever ? outside(i, p) : all - cost_[p];
            if (cost >= kNever || cost > least) continue;
            ties = cost < least ? 1 : ties + 1;
            if (cost < least || random_.below(static_cast<uint32_t>(ties)) == 0) to = p;
            least = cost;
        }
        if (to < 0) return 0;
        const double change = least - price_[i];
        const double draw = random_.uniform();
        if (change > 0 && draw >= std::exp(-change / temperature)) return 0;
        for (int64_t e = g.begin(i); e < g.end(i); e++) {
            const int32_t j = g.indices[e];
            if (part_[j] < 0 || part_[j] == to) continue;
            leave_out(j);
            if (!listed_[j]) out.push_back(j), listed_[j] = 1;
        }
        part_[i] = to;
        load_[to] += g.size[i];
        return change;
    }
    // Leaves out a neighbour, at random; returns its price.
    double drop_neighbour(int32_t i, double temperature, std::vector<int32_t> &out) {
        const int64_t degree = g.end(i) - g.begin(i);
        if (degree == 0) return 0;
        const int32_t j = g.indices[g.begin(i) + random_.below(static_cast<uint32_t>(degree))];
        if (part_[j] < 0 || pinned_[j]) return 0;
        if (random_.uniform() >= std::exp(-price_[j] / temperature)) return 0;
        leave_out(j);
        if (!listed_[j]) out.push_back(j), listed_[j] = 1;
        return price_[j];
    }
    double outside(int32_t i, int p) const {
        double sum = 0;
        for (int64_t e = g.begin(i); e < g.end(i); e++) {
            const int32_t j = g.indices[e];
            if (part_[j] < 0 || part_[j] == p) continue;
            sum += toll_[j];
        }
        return sum;
    }
};

}  // namespace trueval

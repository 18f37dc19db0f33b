// Orders of the classes of one object in which parents come before their children.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trueval {

// Takes, again and again, the class of largest key among those whose parents were taken.
class PrecedenceOrder {
public:
    // Edges from child to parent; classes are 0 to n - 1 and the edges make no cycle.
    PrecedenceOrder(const int32_t *child, const int32_t *parent, int64_t n_edges, int64_t n)
        : n_(n), start_(n + 1, 0), below_(n_edges), n_parents_(n, 0) {
        for (int64_t e = 0; e < n_edges; e++) {
            start_[parent[e] + 1]++;
            n_parents_[child[e]]++;
        }
        for (int64_t k = 0; k < n; k++) start_[k + 1] += start_[k];
        std::vector<int64_t> at(start_.begin(), start_.end() - 1);
        for (int64_t e = 0; e < n_edges; e++) below_[at[parent[e]]++] = child[e];
    }

    // Keys are compared by `first`, then `second`, then the lower number.
    void order(const double *first, const double *second, int32_t *out) {
        const auto later = [&](int32_t a, int32_t b) {
            if (first[a] != first[b]) return first[a] < first[b];
            if (second[a] != second[b]) return second[a] < second[b];
            return a > b;
        };
        waiting_ = n_parents_;
        ready_.clear();
        for (int32_t k = 0; k < n_; k++)
            if (waiting_[k] == 0) ready_.push_back(k);
        std::make_heap(ready_.begin(), ready_.end(), later);
        // Invariant: `ready_` is a heap of the classes not yet taken whose parents all were;
        // waiting_[k] counts the parents of k not yet taken.
        for (int64_t i = 0; i < n_; i++) {
            std::pop_heap(ready_.begin(), ready_.end(), later);
            const int32_t k = ready_.back();
            ready_.pop_back();
            out[i] = k;
            for (int64_t e = start_[k]; e < start_[k + 1]; e++) {
                if (--waiting_[below_[e]] > 0) continue;
                ready_.push_back(below_[e]);
                std::push_heap(ready_.begin(), ready_.end(), later);
            }
        }
    }

private:
    int64_t n_;
    std::vector<int64_t> start_;
    std::vector<int32_t> below_, n_parents_, waiting_, ready_;
};

}  // namespace trueval

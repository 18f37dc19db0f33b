// Isotonic regression: pool adjacent violators, on a line and on a forest.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace trueval {

// Starts of the blocks of the increasing least-squares fit to sums/weights. Equal
// neighbours are pooled, so block means rise strictly.
inline std::vector<int64_t> pool_adjacent(const double *sums, const double *weights, int64_t n) {
    std::vector<int64_t> start;
    std::vector<double> sum, weight;
    // Invariant: the blocks so far cover 0..i-1 and their means rise strictly.
    for (int64_t i = 0; i < n; i++) {
        start.push_back(i);
        sum.push_back(sums[i]);
        weight.push_back(weights[i]);
        for (size_t top = start.size() - 1;
             top > 0 && sum[top - 1] * weight[top] >= sum[top] * weight[top - 1]; top--) {
            sum[top - 1] += sum[top];
            weight[top - 1] += weight[top];
            start.pop_back(), sum.pop_back(), weight.pop_back();
        }
    }
    return start;
}

// Least-squares projection of one row on "parent >= child" over a forest
// (Pardalos and Xue 1999), with leftist heaps of the blocks below each block.
class ForestProjection {
public:
    // `order`: children before parents. `parent`: -1 for a root.
    ForestProjection(const int32_t *order, const int32_t *parent, int64_t n)
        : order_(order), parent_(parent), n_(n), heap_(n), left_(n), right_(n), rank_(n), into_(n),
          sum_(n), size_(n) {}

    void project(const double *in, double *out) {
        set_unit(in);
        for (int64_t i = 0; i < n_; i++) {
            heap_[i] = left_[i] = right_[i] = into_[i] = -1;
            rank_[i] = 1;
            sum_[i] = in[i] / unit_;
            size_[i] = 1;
        }
        // Invariant: the subtrees of the nodes visited so far are solved; heap_[b]
        // holds the blocks hanging below block b, the largest mean on top.
        for (int64_t k = 0; k < n_; k++) {
            const int32_t node = order_[k];
            while (heap_[node] >= 0 && mean(heap_[node]) > mean(node)) {
                const int32_t child = heap_[node];
                heap_[node] = meld(left_[child], right_[child]);
                heap_[node] = meld(heap_[node], heap_[child]);
                sum_[node] += sum_[child];
                size_[node] += size_[child];
                into_[child] = node;
            }
            const int32_t up = parent_[node];
            if (up >= 0) heap_[up] = meld(heap_[up], node);
        }
        // Blocks are named by their highest node, so parents come before children.
        for (int64_t k = n_ - 1; k >= 0; k--) {
            const int32_t node = order_[k];
            out[node] = into_[node] < 0 ? level(node) : out[into_[node]];
        }
    }

    // After project(): largest mean of any connected classes at and below each class, with it.
    void best_means(double *out) const {
        for (int64_t i = 0; i < n_; i++) out[i] = level(static_cast<int32_t>(i));
    }

private:
    const int32_t *order_, *parent_;
    int64_t n_;
    std::vector<int32_t> heap_, left_, right_, rank_, into_;
    std::vector<double> sum_, size_;

    double largest_ = 0, unit_ = 1;

    // A power of two by which values are divided, where their sum might be more than a double.
    void set_unit(const double *in) {
        largest_ = 0, unit_ = 1;
        for (int64_t i = 0; i < n_; i++) largest_ = std::max(largest_, std::abs(in[i]));
        const double most = std::numeric_limits<double>::max() / static_cast<double>(n_);
        if (largest_ > most)
            while (unit_ < static_cast<double>(n_)) unit_ *= 2;
    }

    double mean(int32_t b) const { return sum_[b] / size_[b]; }

    // The mean in the unit of the values; rounding takes it beyond none of them.
    double level(int32_t b) const {
        if (unit_ == 1) return mean(b);
        const double most = largest_ / unit_;
        return std::clamp(mean(b), -most, most) * unit_;
    }

    // Iterative meld down the right spines, then the leftist repair upwards.
    int32_t meld(int32_t a, int32_t b) {
        spine_.clear();
        while (a >= 0 && b >= 0) {
            if (mean(a) < mean(b)) std::swap(a, b);
            spine_.push_back(a);
            a = right_[a];
        }
        int32_t rest = a >= 0 ? a : b;
        for (size_t k = spine_.size(); k-- > 0;) {
            const int32_t node = spine_[k];
            right_[node] = rest;
            const int left_rank = left_[node] < 0 ? 0 : rank_[left_[node]];
            const int right_rank = rest < 0 ? 0 : rank_[rest];
            if (left_rank < right_rank) std::swap(left_[node], right_[node]);
            rank_[node] = 1 + std::min(left_rank, right_rank);
            rest = node;
        }
        return rest;
    }
    std::vector<int32_t> spine_;
};

}  // namespace trueval

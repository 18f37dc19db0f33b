// What one label weighs in a local precision rate.
//
// The rate at a rank is linear in the labels: the local fit is linear in the precisions,
// and the precision at a rank is the mean of the labels at and above it. Tied objects
// share the mean of their labels. Ranks are even, u = (i + 1)/n, in a segment of n
// objects that has all higher-scoring ones above it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "smoother.hpp"

namespace trueval {

// A run of ranks that is smoothed by itself.
struct Segment {
    int64_t n;             // its objects
    int64_t above;         // objects from its first one upwards, those beyond it included
    const int64_t *start;  // first rank of each tie, from 0, rising
    int64_t n_ties;

    int64_t end(int64_t tie) const { return tie + 1 < n_ties ? start[tie + 1] : n; }
    // The precision at rank m is the sum of the labels from m upwards times this.
    double share(int64_t m) const { return 1.0 / static_cast<double>(above - m); }
};

// Derivatives of the precisions by the label of one object of the tie that is fitted.
class OneLabel {
public:
    explicit OneLabel(const Segment &segment) : segment_(segment), v_(segment.n, 0.0) {}
    const double *data() const { return v_.data(); }

    template <typename Shift>
    void at(int64_t i, Shift &&shift) {
        const auto set = [&](int64_t m, double value) {
            if (value == v_[m]) return;
            shift(m, value - v_[m]);
            v_[m] = value;
        };
        // Invariant: below the tie a label counts in full, inside it for its share of
        // the ranks, and above it not at all.
        while (i >= end_) {
            for (int64_t m = begin_; m < end_; m++) set(m, segment_.share(m));
            tie_++;
            begin_ = segment_.start[tie_];
            end_ = segment_.end(tie_);
            const double size = static_cast<double>(end_ - begin_);
            for (int64_t m = begin_; m < end_; m++)
                set(m, segment_.share(m) * (static_cast<double>(end_ - m) / size));
        }
    }

private:
    const Segment &segment_;
    std::vector<double> v_;
    int64_t tie_ = -1, begin_ = 0, end_ = 0;
};

// Weight of an object's own label in the fitted precision and in its slope, at every
// rank; O(n) for the compact kernels. Slopes are by u within the segment.
inline void label_hat(Kernel kernel, const Segment &segment, double h, double *value,
                      double *slope) {
    const int64_t n = segment.n;
    std::vector<double> u(n), hat(n);
    for (int64_t i = 0; i < n; i++) u[i] = static_cast<double>(i + 1) / static_cast<double>(n);
    OneLabel label(segment);
    StoreFits store{value, slope, hat.data()};
    const Distinct distinct(u.data(), n, true);
    const int64_t reach = segment.n_ties == n ? even_reach(n, h) : 0;
    if (kernel != Kernel::epanechnikov || reach == 0)
        return local_quadratic(kernel, u.data(), label.data(), n, h, distinct, label, store);
    const auto general = [&](int64_t from, int64_t to) {
        running_fit<EpanechnikovWindow>(kernel, u.data(), label.data(), n, h, distinct, from, to,
                                        label, store);
    };
    general(0, reach);
    general(n - reach, n);
    // Up to the fitted rank the values are shares, whatever the rank.
    const double *share = label.data();
    even_interior(n, h, reach, 0, [=](int64_t j) { return share[j]; }, store);
}

// One part of a rate: of the fit with this kernel and bandwidth (in ranks), so much of
// the precision and so much of its slope (by rank).
struct RateTerm {
    Kernel kernel;
    double width;
    double value, slope;
};

// Adds to weight[0..] what the labels of the ranks first, first + 1, ... weigh in a term
// at rank i; returns the weight of each label above them.
inline double add_term(const Segment &segment, const RateTerm &term, int64_t i, int64_t first,
                       std::vector<double> &weight) {
    const double reach = term.kernel == Kernel::gaussian ? 8 * term.width : term.width;
    const int64_t most = static_cast<int64_t>(std::ceil(reach)) - 1;
    const int64_t l = std::max<int64_t>(0, i - most), r = std::min(segment.n, i + most + 1);
    const auto at = [&](int64_t j) { return static_cast<double>(j - i) / term.width; };
    double W = 0, mean = 0, second = 0, third = 0, norm = 0;
    for (int64_t j = l; j < r; j++) {
        const double t = at(j), w = kernel_weight(term.kernel, t);
        W += w, mean += w * t;
    }
    mean /= W;
    for (int64_t j = l; j < r; j++) {
        const double t = at(j), w = kernel_weight(term.kernel, t), d = t - mean;
        second += w * d * d, third += w * d * d * d;
    }
    // Orthogonal polynomials as in direct_fit, of the degree the points can carry.
    const double tilt = r - l > 1 ? third / second : 0.0, level = second / W;
    for (int64_t j = l; j < r; j++) {
        const double t = at(j), w = kernel_weight(term.kernel, t), d = t - mean;
        const double phi = d * d - tilt * d - level;
        norm += w * phi * phi;
    }
    const double slope = term.slope / term.width;
    double by_d = 0, by_phi = 0;
    if (r - l > 1) by_d = (slope - term.value * mean) / second;
    if (r - l > 2)
        by_phi = (term.value * (mean * mean + tilt * mean - level) - slope * (2 * mean + tilt)) /
                 norm;
    double sum = 0;
    // Invariant: `sum` is the weight of label j, which every precision from l to j holds.
    for (int64_t j = l; j < r; j++) {
        const double t = at(j), w = kernel_weight(term.kernel, t), d = t - mean;
        const double phi = d * d - tilt * d - level;
        sum += w * (term.value / W + by_d * d + by_phi * phi) * segment.share(j);
        weight[j - first] += sum;
    }
    for (size_t j = r - first; j < weight.size(); j++) weight[j] += sum;
    return sum;
}

// Sum of the squared weights of all labels in the mean of the rates at some ranks.
// Each rank has its own terms, since the slope counts by its distance from the top.
template <typename Terms>
double squared_label_weights(const Segment &segment, const int64_t *rank, int64_t n_ranks,
                             Terms &&terms) {
    int64_t first = segment.n, last = 0;
    for (int64_t k = 0; k < n_ranks; k++)
        for (const RateTerm &term : terms(rank[k])) {
            const double reach = term.kernel == Kernel::gaussian ? 8 * term.width : term.width;
            const int64_t most = static_cast<int64_t>(std::ceil(reach)) - 1;
            first = std::min(first, std::max<int64_t>(0, rank[k] - most));
            last = std::max(last, std::min(segment.n, rank[k] + most + 1));
        }
    std::vector<double> weight(last - first, 0.0);
    double above = 0;
    for (int64_t k = 0; k < n_ranks; k++)
        for (const RateTerm &term : terms(rank[k]))
            above += add_term(segment, term, rank[k], first, weight);
    const double each = 1.0 / static_cast<double>(n_ranks);
    above *= each;
    double squares = 0;
    int64_t done = last;
    const int64_t *tie = std::upper_bound(segment.start, segment.start + segment.n_ties, first);
    // Invariant: ties before `tie` are counted; a tie's labels all weigh their mean.
    for (int64_t t = tie - segment.start - 1; t < segment.n_ties; t++) {
        const int64_t a = segment.start[t], b = segment.end(t);
        if (a >= last) break;
        double sum = static_cast<double>(std::max<int64_t>(0, b - last)) * above;
        for (int64_t j = std::max(a, first); j < std::min(b, last); j++)
            sum += each * weight[j - first];
        squares += sum * sum / static_cast<double>(b - a);
        done = std::max(done, b);
    }
    return squares + above * above * static_cast<double>(segment.above - done);
}

}  // namespace trueval

// Inverse-distance-weighted K nearest neighbours of pairs, each pair being the sum
// of two object vectors, under the masks of object-level cross-validation.
//
// |(x_i + x_j) - (x_a + x_b)|^2 = n_ij + n_ab - (s_a + s_b), s = 2 (G_i + G_j),
// with G the Gram matrix: O(1) for each distance whatever the number of features.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../random.hpp"

namespace trueval {

struct PairKnnProblem {
    int64_t n_features;
    const double *query_vectors;  // query objects x features, as they are
    const double *train_vectors;  // training objects x features, as they are
    int64_t n_train_objects;
    const double *cross;       // query objects x training objects, inner products about a mean
    const double *query_norm;  // squared norm of each query pair about twice that mean
    const double *train_norm;  // and of each training pair
    int64_t n_queries;
    const int32_t *query_a, *query_b;  // query pairs, rows of query_vectors
    int64_t n_train;
    const int32_t *train_a, *train_b;  // training pairs, rows of train_vectors
    const double *y;                   // label of each training pair
    const int32_t *label_a, *label_b;  // part of the members of each training pair
    const int64_t *task_start;         // tasks of each query: one for each fold that has it
    const int32_t *task_p, *task_q;    // the two parts a task holds out (may be equal)
    int64_t n_values;
    const int64_t *values;  // K, ascending
};

struct PairKnnResult {
    double *strict, *relaxed;  // tasks x values, or null when not wanted
    int64_t fewest;            // neighbours found in the worst task, at most the largest K
};

class PairKnn {
public:
    explicit PairKnn(const PairKnnProblem &problem)
        : p_(problem), scaled_(problem.n_train_objects), distance_(problem.n_train),
          chosen_(problem.n_train) {
        // A fixed sample of training pairs, for the first guess of the radius.
        SplitMix64 random{20140820};
        int64_t n_sample = std::min<int64_t>(p_.n_train, 512);
        sample_.resize(n_sample);
        for (auto &r : sample_)
            r = n_sample == p_.n_train
                    ? static_cast<int32_t>(&r - sample_.data())
                    : static_cast<int32_t>(random.below(static_cast<uint32_t>(p_.n_train)));
    }

    template <typename Poll>
    void run(PairKnnResult &out, Poll &poll) {
        out.fewest = p_.n_values ? p_.values[p_.n_values - 1] : 0;
        for (int64_t query = 0; query < p_.n_queries; query++) {
            poll();
            if (p_.task_start[query] < p_.task_start[query + 1]) answer(query, out);
        }
    }

private:
    struct Near {
        double distance;  // squared
        int32_t row;
        bool operator<(const Near &other) const {
            return distance != other.distance ? distance < other.distance : row < other.row;
        }
    };

    const PairKnnProblem &p_;
    std::vector<double> scaled_, distance_, sampled_;
    std::vector<int32_t> sample_, chosen_;
    std::vector<Near> near_;

    double exact_distance(int64_t query, int32_t row) const {
        const double *u = p_.query_vectors + p_.query_a[query] * p_.n_features;
        const double *v = p_.query_vectors + p_.query_b[query] * p_.n_features;
        const double *a = p_.train_vectors + p_.train_a[row] * p_.n_features;
        const double *b = p_.train_vectors + p_.train_b[row] * p_.n_features;
        double sum = 0;
        for (int64_t f = 0; f < p_.n_features; f++) {
            double gap = (u[f] + v[f]) - (a[f] + b[f]);
            sum += gap * gap;
        }
        return sum;
    }
    bool touches(int32_t row, int64_t task) const {
        int32_t p = p_.task_p[task], q = p_.task_q[task];
        int32_t a = p_.label_a[row], b = p_.label_b[row];
        return a == p || a == q || b == p || b == q;
    }
    bool inside(int32_t row, int64_t task) const {
        int32_t p = p_.task_p[task], q = p_.task_q[task];
        int32_t a = p_.label_a[row], b = p_.label_b[row];
        return (a == p || a == q) && (b == p || b == q);
    }
    bool masked(int32_t row, int64_t task, bool strict) const {
        return strict ? touches(row, task) : inside(row, task);
    }

    void answer(int64_t query, PairKnnResult &out) {
        int64_t first = p_.task_start[query], last = p_.task_start[query + 1];
        bool strict = out.strict != nullptr;  // the narrower mask decides the radius
        int64_t most = p_.values[p_.n_values - 1];
        measure(query);
        // Squared distances lack the query's own norm until they are chosen.
        double radius = guess_radius(first, most, strict, 1.0);
        int64_t n_chosen = 0;
        // Invariant: chosen_ holds all training pairs within the radius. The loop
        // ends when each task finds its K among them or all pairs are chosen, so
        // that the K nearest unmasked pairs of every task are among the chosen.
        for (double slack = 2.0;; slack *= 2.0) {
            n_chosen = 0;
            for (int64_t r = 0; r < p_.n_train; r++) {
                chosen_[n_chosen] = static_cast<int32_t>(r);
                n_chosen += !(distance_[r] > radius);  // also what is no number: the loop ends
            }
            if (n_chosen == p_.n_train) break;
            int64_t fewest = most;
            for (int64_t task = first; task < last && fewest >= most; task++) {
                int64_t found = 0;
                for (int64_t c = 0; c < n_chosen && found < most; c++)
                    found += !masked(chosen_[c], task, strict);
                fewest = std::min(fewest, found);
            }
            if (fewest >= most) break;
            radius = slack < 64 ? guess_radius(first, most, strict, slack)
                                : std::numeric_limits<double>::infinity();
        }
        double own = p_.query_norm[query];
        near_.resize(n_chosen);
        for (int64_t c = 0; c < n_chosen; c++) {
            int32_t row = chosen_[c];
            double d = distance_[row] + own;
            // Where the sum cancels, take the distance from the vectors themselves.
            if (d < 0.05 * (own + p_.train_norm[row])) d = exact_distance(query, row);
            near_[c] = {d, row};
        }
        std::sort(near_.begin(), near_.end());
        for (int64_t task = first; task < last; task++) {
            if (out.strict) walk(task, true, out.strict + task * p_.n_values, out.fewest);
            if (out.relaxed) walk(task, false, out.relaxed + task * p_.n_values, out.fewest);
        }
    }

    void measure(int64_t query) {
        const double *ga = p_.cross + p_.query_a[query] * p_.n_train_objects;
        const double *gb = p_.cross + p_.query_b[query] * p_.n_train_objects;
        for (int64_t o = 0; o < p_.n_train_objects; o++) scaled_[o] = 2 * (ga[o] + gb[o]);
        const double *s = scaled_.data(), *norm = p_.train_norm;
        double *distance = distance_.data();
        // s_a + s_b is added first: (a, b) and (b, a) get the very same distance.
        for (int64_t r = 0; r < p_.n_train; r++)
            distance[r] = norm[r] - (s[p_.train_a[r]] + s[p_.train_b[r]]);
    }

    double guess_radius(int64_t task, int64_t most, bool strict, double slack) {
        sampled_.clear();
        for (int32_t r : sample_)
            if (!masked(r, task, strict)) sampled_.push_back(distance_[r]);
        double rate = static_cast<double>(sample_.size()) / static_cast<double>(p_.n_train);
        double expected = slack * rate * static_cast<double>(most);
        auto rank = static_cast<int64_t>(expected + 2 * std::sqrt(expected) + 2);
        if (rank >= static_cast<int64_t>(sampled_.size()))
            return std::numeric_limits<double>::infinity();
        std::nth_element(sampled_.begin(), sampled_.begin() + rank, sampled_.end());
        return sampled_[rank];
    }

    // Scores for all K from one pass over the sorted neighbours. scikit-learn's
    // rule for zero distances: if some of the K are at distance zero, only they
    // count, equally.
    void walk(int64_t task, bool strict, double *scores, int64_t &fewest) const {
        double weight = 0, weighted = 0, zeros = 0, zero_sum = 0;
        int64_t found = 0, value = 0;
        // Invariant: the sums are over the first `found` unmasked neighbours, and
        // scores of all K <= found are written.
        for (const Near &near : near_) {
            if (value == p_.n_values) return;
            if (masked(near.row, task, strict)) continue;
            double label = p_.y[near.row];
            if (near.distance <= 0) {
                zeros += 1;
                zero_sum += label;
            } else {
                double w = 1.0 / std::sqrt(near.distance);
                weight += w;
                weighted += w * label;
            }
            found++;
            for (; value < p_.n_values && p_.values[value] == found; value++)
                scores[value] = zeros > 0 ? zero_sum / zeros : weighted / weight;
        }
        if (value == p_.n_values) return;
        fewest = std::min(fewest, found);
        for (; value < p_.n_values; value++)
            scores[value] = std::numeric_limits<double>::quiet_NaN();
    }
};

}  // namespace trueval

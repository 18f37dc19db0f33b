// Ridge regression under leave-two-out: the normal equations of every fold from
// sums kept for each object, one small Cholesky factorisation a fold.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace trueval {

struct PairRidgeProblem {
    int64_t n_rows, n_columns, n_labels;
    const double *x;                   // rows x columns, the last column all ones or absent
    const double *y;                   // label of each row
    const int32_t *label_a, *label_b;  // the members of each row
    int64_t n_folds;
    const int32_t *fold_p, *fold_q;  // the two labels a fold holds out (may be equal)
    const int64_t *pair_start;       // rows whose labels are exactly {p, q}, p and q different
    const int32_t *pair_rows;
    const int64_t *self_start;  // rows with one label twice, for each label
    const int32_t *self_rows;
    const int64_t *task_start;  // rows to predict in each fold
    const int32_t *task_rows;
    int64_t n_values;
    const double *values;      // alpha
    int64_t n_penalised;       // leading columns that are penalised
    bool strict;
};

class PairRidge {
public:
    template <typename Poll>
    PairRidge(const PairRidgeProblem &problem, Poll &poll)
        : p_(problem), c_(problem.n_columns), width_(c_ * c_ + c_), total_(width_, 0.0),
          touching_(problem.strict ? problem.n_labels * width_ : 0, 0.0), fold_(width_),
          factor_(c_ * c_), beta_(c_) {
        for (int64_t r = 0; r < p_.n_rows; r++) {
            if (r % 1024 == 0) poll();
            add(total_.data(), r, 1);
            if (!p_.strict) continue;
            add(touching_.data() + p_.label_a[r] * width_, r, 1);
            if (p_.label_b[r] != p_.label_a[r])
                add(touching_.data() + p_.label_b[r] * width_, r, 1);
        }
    }

    // scores: tasks x values. Returns false if a system is not positive definite.
    template <typename Poll>
    bool run(double *scores, Poll &poll) {
        for (int64_t fold = 0; fold < p_.n_folds; fold++) {
            poll();
            gather(fold);
            for (int64_t v = 0; v < p_.n_values; v++) {
                if (!solve(p_.values[v])) return false;
                for (int64_t t = p_.task_start[fold]; t < p_.task_start[fold + 1]; t++) {
                    const double *x = p_.x + p_.task_rows[t] * c_;
                    double sum = 0;
                    for (int64_t i = 0; i < c_; i++) sum += x[i] * beta_[i];
                    scores[t * p_.n_values + v] = sum;
                }
            }
        }
        return true;
    }

private:
    const PairRidgeProblem &p_;
    int64_t c_, width_;
    std::vector<double> total_, touching_, fold_, factor_, beta_;

    // Lower triangle of x x^T, then x y.
    void add(double *sums, int64_t row, double sign) const {
        const double *x = p_.x + row * c_;
        for (int64_t i = 0; i < c_; i++) {
            double scaled = sign * x[i];
            for (int64_t j = 0; j <= i; j++) sums[i * c_ + j] += scaled * x[j];
            sums[c_ * c_ + i] += scaled * p_.y[row];
        }
    }

    // Invariant: fold_ holds the sums over exactly the training rows of the fold.
    // Strict: all, less those that touch p, less those that touch q, plus those
    // subtracted twice. Relaxed: all, less those inside {p, q}.
    void gather(int64_t fold) {
        int64_t p = p_.fold_p[fold], q = p_.fold_q[fold];
        bool two = p != q;
        if (p_.strict) {
            const double *a = touching_.data() + p * width_, *b = touching_.data() + q * width_;
            for (int64_t k = 0; k < width_; k++) fold_[k] = total_[k] - a[k] - (two ? b[k] : 0.0);
        } else {
            fold_ = total_;
            subtract_self(p);
            if (two) subtract_self(q);
        }
        for (int64_t t = p_.pair_start[fold]; t < p_.pair_start[fold + 1]; t++)
            add(fold_.data(), p_.pair_rows[t], p_.strict ? 1 : -1);
    }
    void subtract_self(int64_t label) {
        for (int64_t t = p_.self_start[label]; t < p_.self_start[label + 1]; t++)
            add(fold_.data(), p_.self_rows[t], -1);
    }

    // Cholesky factor L of (sums + alpha on the penalised diagonal), then two
    // triangular solves. Invariant: rows of L before i are final.
    bool solve(double alpha) {
        double *l = factor_.data();
        const double *a = fold_.data();
        for (int64_t i = 0; i < c_; i++) {
            for (int64_t j = 0; j <= i; j++) {
                double sum = a[i * c_ + j] + (i == j && i < p_.n_penalised ? alpha : 0.0);
                for (int64_t k = 0; k < j; k++) sum -= l[i * c_ + k] * l[j * c_ + k];
                if (i == j) {
                    if (!(sum > 0)) return false;
                    l[i * c_ + i] = std::sqrt(sum);
                } else {
                    l[i * c_ + j] = sum / l[j * c_ + j];
                }
            }
        }
        for (int64_t i = 0; i < c_; i++) {
            double sum = a[c_ * c_ + i];
            for (int64_t k = 0; k < i; k++) sum -= l[i * c_ + k] * beta_[k];
            beta_[i] = sum / l[i * c_ + i];
        }
        for (int64_t i = c_ - 1; i >= 0; i--) {
            double sum = beta_[i];
            for (int64_t k = i + 1; k < c_; k++) sum -= l[k * c_ + i] * beta_[k];
            beta_[i] = sum / l[i * c_ + i];
        }
        return true;
    }
};

}  // namespace trueval

// Penalised logistic splines of a class on rank: cubic B-splines on evenly spaced
// knots over [0, 1], second differences penalised, increasing coefficients on wish.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace trueval {

// The four cubic B-splines alive at x and the number of the first of them.
inline int64_t spline_basis(double x, int64_t n_segments, double *basis) {
    const double place = std::min(std::max(x, 0.0), 1.0) * static_cast<double>(n_segments);
    const int64_t first = std::min(static_cast<int64_t>(place), n_segments - 1);
    const double t = place - static_cast<double>(first), s = 1 - t;
    basis[0] = s * s * s / 6;
    basis[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    basis[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
    basis[3] = t * t * t / 6;
    return first;
}

class LogisticSpline {
public:
    // Bins: place x, objects n, positives y. The ridge draws towards `prior`.
    LogisticSpline(const double *x, const double *n, const double *y, int64_t n_bins,
                   int64_t n_segments, const double *prior, double ridge, bool monotone)
        : n_(n), y_(y), n_bins_(n_bins), segments_(n_segments), q_(n_segments + 3), prior_(prior),
          ridge_(ridge), monotone_(monotone), first_(n_bins), basis_(4 * n_bins),
          coef_(prior, prior + q_), fisher_(q_ * q_), system_(q_ * q_), right_(q_) {
        for (int64_t b = 0; b < n_bins; b++) first_[b] = spline_basis(x[b], segments_, &basis_[4 * b]);
    }

    // Fits at one penalty from the current coefficients.
    void fit(double penalty) {
        double before = objective(coef_, penalty);
        std::vector<double> tried(q_);
        // Invariant: `coef_` has the least penalised deviance seen, `before`.
        for (int step = 0; step < 50; step++) {
            accumulate();
            const std::vector<double> aim = step_to(penalty);
            double share = 1, after = 0;
            for (;; share *= 0.5) {
                for (int64_t j = 0; j < q_; j++) tried[j] = coef_[j] + share * (aim[j] - coef_[j]);
                after = objective(tried, penalty);
                if (after <= before + 1e-10 * (1 + std::fabs(before)) || share < 1e-4) break;
            }
            if (!(after <= before + 1e-10 * (1 + std::fabs(before)))) break;
            coef_ = tried;
            const bool settled = before - after < 1e-7 * (1 + std::fabs(after));
            before = after;
            if (settled) break;
        }
    }

    // After fit: the inverse of the penalised information, and trace(it · Fisher).
    double finish(double penalty, std::vector<double> &covariance) {
        accumulate();
        assemble(penalty, coef_);
        cholesky(system_);
        covariance.assign(q_ * q_, 0.0);
        std::vector<double> column(q_);
        double freedom = 0;
        for (int64_t j = 0; j < q_; j++) {
            std::fill(column.begin(), column.end(), 0.0);
            column[j] = 1;
            solve(system_, column);
            for (int64_t i = 0; i < q_; i++) {
                covariance[i * q_ + j] = column[i];
                freedom += column[i] * fisher_[i * q_ + j];
            }
        }
        return freedom;
    }

    double deviance() const { return deviance(coef_); }
    const std::vector<double> &coef() const { return coef_; }

private:
    static constexpr double kOrder = 1e6;  // price of a falling coefficient
    const double *n_, *y_;
    int64_t n_bins_, segments_, q_;
    const double *prior_;
    double ridge_;
    bool monotone_;
    std::vector<int64_t> first_;
    std::vector<double> basis_, coef_, fisher_, system_, right_;

    double eta(const std::vector<double> &coef, int64_t b) const {
        const double *a = &coef[first_[b]], *w = &basis_[4 * b];
        return a[0] * w[0] + a[1] * w[1] + a[2] * w[2] + a[3] * w[3];
    }
    double deviance(const std::vector<double> &coef) const {
        double sum = 0;
        for (int64_t b = 0; b < n_bins_; b++) {
            const double e = eta(coef, b);
            const double log_one_plus = e > 0 ? e + std::log1p(std::exp(-e)) : std::log1p(std::exp(e));
            sum += n_[b] * log_one_plus - y_[b] * e;
        }
        return 2 * sum;
    }
    double objective(const std::vector<double> &coef, double penalty) const {
        double sum = deviance(coef);
        for (int64_t j = 0; j < q_; j++) {
            const double d = coef[j] - prior_[j];
            sum += ridge_ * d * d;
        }
        for (int64_t j = 2; j < q_; j++) {
            const double d = coef[j] - 2 * coef[j - 1] + coef[j - 2];
            sum += penalty * d * d;
        }
        for (int64_t j = 1; monotone_ && j < q_; j++) {
            const double d = std::min(coef[j] - coef[j - 1], 0.0);
            sum += kOrder * d * d;
        }
        return sum;
    }
    // Fisher information and the right side of the next weighted least squares.
    void accumulate() {
        std::fill(fisher_.begin(), fisher_.end(), 0.0);
        std::fill(right_.begin(), right_.end(), 0.0);
        for (int64_t b = 0; b < n_bins_; b++) {
            const double e = eta(coef_, b), p = 1 / (1 + std::exp(-e));
            const double w = n_[b] * std::max(p * (1 - p), 1e-9);
            const double z = w * e + y_[b] - n_[b] * p;
            const double *basis = &basis_[4 * b];
            for (int i = 0; i < 4; i++) {
                right_[first_[b] + i] += basis[i] * z;
                double *row = &fisher_[(first_[b] + i) * q_ + first_[b]];
                for (int j = 0; j < 4; j++) row[j] += w * basis[i] * basis[j];
            }
        }
    }
    // Minimum of the quadratic model: solved again until the coefficients that fall in
    // the solution are those that were charged for falling.
    std::vector<double> step_to(double penalty) {
        const std::vector<double> base = right_;
        std::vector<double> aim = coef_, last;
        for (int round = 0; round < 30; round++) {
            right_ = base;
            assemble(penalty, aim);
            cholesky(system_);
            solve(system_, right_);
            last = aim;
            aim = right_;
            bool same = true;
            for (int64_t j = 1; j < q_; j++)
                same = same && (aim[j] < aim[j - 1]) == (last[j] < last[j - 1]);
            if (same || !monotone_) break;
        }
        return aim;
    }
    void assemble(double penalty, const std::vector<double> &shape) {
        system_ = fisher_;
        for (int64_t j = 0; j < q_; j++) {
            system_[j * q_ + j] += ridge_;
            right_[j] += ridge_ * prior_[j];
        }
        const double second[3] = {1, -2, 1};
        for (int64_t k = 0; k + 2 < q_; k++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    system_[(k + i) * q_ + k + j] += penalty * second[i] * second[j];
        for (int64_t j = 1; monotone_ && j < q_; j++) {
            if (shape[j] >= shape[j - 1]) continue;
            system_[j * q_ + j] += kOrder;
            system_[(j - 1) * q_ + j - 1] += kOrder;
            system_[j * q_ + j - 1] -= kOrder;
            system_[(j - 1) * q_ + j] -= kOrder;
        }
    }
    // In place; everything alive lies within three of the diagonal.
    void cholesky(std::vector<double> &a) const {
        for (int64_t j = 0; j < q_; j++) {
            const int64_t low = std::max<int64_t>(0, j - 3);
            for (int64_t k = low; k < j; k++) a[j * q_ + j] -= a[j * q_ + k] * a[j * q_ + k];
            a[j * q_ + j] = std::sqrt(std::max(a[j * q_ + j], 1e-12));
            for (int64_t i = j + 1; i < std::min(q_, j + 4); i++) {
                for (int64_t k = std::max<int64_t>(0, i - 3); k < j; k++)
                    a[i * q_ + j] -= a[i * q_ + k] * a[j * q_ + k];
                a[i * q_ + j] /= a[j * q_ + j];
            }
        }
    }
    void solve(const std::vector<double> &a, std::vector<double> &b) const {
        for (int64_t i = 0; i < q_; i++) {
            for (int64_t k = std::max<int64_t>(0, i - 3); k < i; k++) b[i] -= a[i * q_ + k] * b[k];
            b[i] /= a[i * q_ + i];
        }
        for (int64_t i = q_ - 1; i >= 0; i--) {
            for (int64_t k = i + 1; k < std::min(q_, i + 4); k++) b[i] -= a[k * q_ + i] * b[k];
            b[i] /= a[i * q_ + i];
        }
    }
};

struct SplineFit {
    std::vector<double> coef, covariance;
    double penalty, deviance, freedom;
};

// The penalty of least AIC, from stiff to loose, each fit starting at the last.
inline SplineFit fit_spline(const double *x, const double *n, const double *y, int64_t n_bins,
                            int64_t n_segments, const double *prior, double ridge,
                            const double *penalties, int64_t n_penalties, bool monotone) {
    LogisticSpline spline(x, n, y, n_bins, n_segments, prior, ridge, monotone);
    SplineFit best;
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> covariance;
    for (int64_t k = 0; k < n_penalties; k++) {
        spline.fit(penalties[k]);
        const double freedom = spline.finish(penalties[k], covariance);
        const double aic = spline.deviance() + 2 * freedom;
        if (aic < least) {
            least = aic;
            best = SplineFit{spline.coef(), covariance, penalties[k], spline.deviance(), freedom};
        }
    }
    return best;
}

}  // namespace trueval

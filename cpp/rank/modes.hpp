// Logistic regression of one class whose coefficients have a normal prior: the mode of the
// posterior by Newton's method, and the covariance around it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace trueval {

class PosteriorMode {
public:
    PosteriorMode(const double *precision, int64_t n_coef)
        : precision_(precision), q_(n_coef), slope_(n_coef), step_(n_coef), tried_(n_coef),
          curvature_(n_coef * n_coef) {}

    // Groups: covariates x (one row a group), objects and positives. `coef` is where to begin
    // and becomes the mode, `covariance` has room for n_coef squared. Returns the log posterior.
    double find(const double *x, const double *size, const double *positives, int64_t n_groups,
                const double *centre, double *coef, double *covariance) {
        x_ = x, size_ = size, positives_ = positives, n_groups_ = n_groups, centre_ = centre;
        double best = log_posterior(coef);
        // Invariant: `best` is the log posterior of `coef` and has never fallen.
        for (int round = 0; round < kRounds; round++) {
            derivatives(coef);
            factor();
            step_ = slope_;
            solve(step_);
            double gain = 0, share = 1, reached = 0;
            for (int64_t j = 0; j < q_; j++) gain += slope_[j] * step_[j];
            for (int halving = 0; halving < 30; halving++, share *= 0.5) {
                for (int64_t j = 0; j < q_; j++) tried_[j] = coef[j] + share * step_[j];
                reached = log_posterior(tried_.data());
                if (reached >= best + 1e-4 * share * gain - 1e-10 * (1 + std::fabs(best))) break;
            }
            if (!(reached > best)) break;
            std::copy(tried_.begin(), tried_.end(), coef);
            best = reached;
            if (gain <= kSettled) break;
        }
        derivatives(coef);
        factor();
        for (int64_t j = 0; j < q_; j++) {
            std::fill(step_.begin(), step_.end(), 0.0);
            step_[j] = 1;
            solve(step_);
            for (int64_t i = 0; i < q_; i++) covariance[i * q_ + j] = step_[i];
        }
        return best;
    }

private:
    static constexpr int kRounds = 50;
    static constexpr double kSettled = 1e-6;  // Newton decrement that ends the search
    const double *precision_;
    int64_t q_;
    std::vector<double> slope_, step_, tried_, curvature_;
    const double *x_ = nullptr, *size_ = nullptr, *positives_ = nullptr, *centre_ = nullptr;
    int64_t n_groups_ = 0;

    double log_odds(const double *coef, int64_t g) const {
        double sum = 0;
        for (int64_t j = 0; j < q_; j++) sum += x_[g * q_ + j] * coef[j];
        return sum;
    }
    double log_posterior(const double *coef) const {
        double sum = 0, away = 0;
        for (int64_t g = 0; g < n_groups_; g++) {
            if (size_[g] == 0) continue;
            const double e = log_odds(coef, g);
            sum += positives_[g] * e - size_[g] * (std::max(e, 0.0) + std::log1p(std::exp(-std::fabs(e))));
        }
        for (int64_t i = 0; i < q_; i++)
            for (int64_t j = 0; j < q_; j++)
                away += (coef[i] - centre_[i]) * precision_[i * q_ + j] * (coef[j] - centre_[j]);
        return sum - 0.5 * away;
    }
    // Gradient and minus the second derivatives of the log posterior.
    void derivatives(const double *coef) {
        std::copy(precision_, precision_ + q_ * q_, curvature_.begin());
        for (int64_t i = 0; i < q_; i++) {
            slope_[i] = 0;
            for (int64_t j = 0; j < q_; j++)
                slope_[i] -= precision_[i * q_ + j] * (coef[j] - centre_[j]);
        }
        for (int64_t g = 0; g < n_groups_; g++) {
            if (size_[g] == 0) continue;
            const double p = 1 / (1 + std::exp(-log_odds(coef, g)));
            const double rest = positives_[g] - size_[g] * p, weight = size_[g] * p * (1 - p);
            const double *x = x_ + g * q_;
            for (int64_t i = 0; i < q_; i++) {
                slope_[i] += x[i] * rest;
                for (int64_t j = 0; j <= i; j++) curvature_[i * q_ + j] += weight * x[i] * x[j];
            }
        }
    }
    // Cholesky of the lower half, in place.
    void factor() {
        double *a = curvature_.data();
        for (int64_t j = 0; j < q_; j++) {
            for (int64_t k = 0; k < j; k++) a[j * q_ + j] -= a[j * q_ + k] * a[j * q_ + k];
            a[j * q_ + j] = std::sqrt(std::max(a[j * q_ + j], 1e-300));
            for (int64_t i = j + 1; i < q_; i++) {
                for (int64_t k = 0; k < j; k++) a[i * q_ + j] -= a[i * q_ + k] * a[j * q_ + k];
                a[i * q_ + j] /= a[j * q_ + j];
            }
        }
    }
    void solve(std::vector<double> &b) const {
        const double *a = curvature_.data();
        for (int64_t i = 0; i < q_; i++) {
            for (int64_t k = 0; k < i; k++) b[i] -= a[i * q_ + k] * b[k];
            b[i] /= a[i * q_ + i];
        }
        for (int64_t i = q_ - 1; i >= 0; i--) {
            for (int64_t k = i + 1; k < q_; k++) b[i] -= a[k * q_ + i] * b[k];
            b[i] /= a[i * q_ + i];
        }
    }
};

}  // namespace trueval

// Local quadratic fits at every point of a sorted sample, O(M) for one bandwidth
// with the compact kernels: value, slope and hat diagonal.
//
// A window's moments are kept running about the centre of the current block (one
// bandwidth wide) and built afresh in the next, so that rounding cannot pile up:
// one prefix sum over the whole sample would be wrong by 0.3 at h = 0.01.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace trueval {

struct LocalFit {
    double value, slope, hat;  // slope: by u, not by (u - x)/h
};

// Sums over a window of powers 0..P of t, and of v times powers 0..Q.
template <int P, int Q>
struct Moments {
    double p[P + 1] = {}, q[Q + 1] = {};

    void clear() {
        std::fill(p, p + P + 1, 0.0);
        std::fill(q, q + Q + 1, 0.0);
    }
    void add(double t, double v) { change(t, 1.0, v); }
    void remove(double t, double v) { change(t, -1.0, -v); }
    void shift(double t, double v) { change(t, 0.0, v); }  // of a point's v, by so much

private:
    void change(double t, double one, double v) {
        for (int j = 0; j <= Q; j++) {
            p[j] += one;
            q[j] += v;
            one *= t;
            v *= t;
        }
        for (int j = Q + 1; j <= P; j++) {
            p[j] += one;
            one *= t;
        }
    }
};

enum class Kernel { epanechnikov = 0, gaussian = 1, tricube = 2 };

inline double kernel_weight(Kernel kernel, double t) {
    const double a = std::fabs(t);
    switch (kernel) {
        case Kernel::gaussian: return std::exp(-0.5 * t * t);
        case Kernel::tricube: {
            const double c = 1 - a * a * a;
            return a < 1 ? c * c * c : 0.0;
        }
        default: return a < 1 ? 1 - t * t : 0.0;
    }
}

// Weighted least squares over one window by orthogonal polynomials: slower, and
// right also where the window's points lie almost on top of each other.
inline LocalFit direct_fit(Kernel kernel, const double *u, const double *v, int64_t l, int64_t r,
                           double x, double h, int degree) {
    double W = 0, mean = 0, sum_v = 0;
    for (int64_t j = l; j < r; j++) {
        const double t = (u[j] - x) / h, w = kernel_weight(kernel, t);
        W += w, mean += w * t, sum_v += w * v[j];
    }
    mean /= W;
    LocalFit fit{sum_v / W, 0.0, 1.0 / W};
    if (degree == 0) return fit;
    double second = 0, third = 0, c1 = 0;
    for (int64_t j = l; j < r; j++) {
        const double t = (u[j] - x) / h, w = kernel_weight(kernel, t), d = t - mean;
        second += w * d * d, third += w * d * d * d, c1 += w * d * v[j];
    }
    c1 /= second;
    fit.value -= c1 * mean;
    fit.slope = c1 / h;
    fit.hat += mean * mean / second;
    if (degree == 1) return fit;
    // phi2(t) = d^2 - tilt d - level, orthogonal to 1 and d = t - mean.
    const double tilt = third / second, level = second / W;
    double norm = 0, c2 = 0;
    for (int64_t j = l; j < r; j++) {
        const double t = (u[j] - x) / h, w = kernel_weight(kernel, t), d = t - mean;
        const double phi = d * d - tilt * d - level;
        norm += w * phi * phi, c2 += w * phi * v[j];
    }
    c2 /= norm;
    const double at_x = mean * mean + tilt * mean - level;
    fit.value += c2 * at_x;
    fit.slope += c2 * (-2 * mean - tilt) / h;
    fit.hat += at_x * at_x / norm;
    return fit;
}

// Solves the normal equations of a quadratic in t and reads it off at t = d; false
// where they are too near singular for their rounding.
inline bool solve_quadratic(const double *S, const double *T, double d, double h, LocalFit &fit) {
    const double A = S[2] * S[4] - S[3] * S[3];
    const double B = S[1] * S[4] - S[2] * S[3];
    const double C = S[1] * S[3] - S[2] * S[2];
    const double det = S[0] * A - S[1] * B + S[2] * C;
    if (!(det > 1e-6 * S[0] * S[2] * S[4])) return false;
    const double D = S[0] * S[4] - S[2] * S[2], E = S[0] * S[3] - S[1] * S[2];
    const double F = S[0] * S[2] - S[1] * S[1], inverse = 1.0 / det;
    const double a0 = A * T[0] - B * T[1] + C * T[2];
    const double a1 = -B * T[0] + D * T[1] - E * T[2];
    const double a2 = C * T[0] - E * T[1] + F * T[2];
    fit.value = (a0 + d * (a1 + d * a2)) * inverse;
    fit.slope = (a1 + 2 * d * a2) * inverse / h;
    fit.hat = (A + d * (-2 * B + d * (2 * C + D + d * (-2 * E + d * F)))) * inverse;
    return true;
}

// The running window of the Epanechnikov kernel: about the block's centre its
// weight 1 - (t - d)^2 is a polynomial of t, so no moment needs shifting.
class EpanechnikovWindow {
public:
    void clear() { all_.clear(); }
    void enter(double t, double v) { all_.add(t, v); }
    void leave(double t, double v) { all_.remove(t, v); }
    void pass(double, double) {}  // both sides of x have one formula
    void shift(double t, double v, bool) { all_.shift(t, v); }
    bool solve(double d, double h, LocalFit &fit) const {
        const double c0 = 1 - d * d, c1 = 2 * d;
        double S[5], T[3];
        for (int j = 0; j < 5; j++) S[j] = c0 * all_.p[j] + c1 * all_.p[j + 1] - all_.p[j + 2];
        for (int j = 0; j < 3; j++) T[j] = c0 * all_.q[j] + c1 * all_.q[j + 1] - all_.q[j + 2];
        return solve_quadratic(S, T, d, h, fit);
    }

private:
    Moments<6, 4> all_;
};

// The same for tricube, (1 - |t - d|^3)^3, a polynomial on either side of x.
class TricubeWindow {
public:
    void clear() { left_.clear(), right_.clear(); }
    void enter(double t, double v) { right_.add(t, v); }
    void leave(double t, double v) { left_.remove(t, v); }
    void pass(double t, double v) { right_.remove(t, v), left_.add(t, v); }
    void shift(double t, double v, bool left) { (left ? left_ : right_).shift(t, v); }
    bool solve(double d, double h, LocalFit &fit) const {
        double S[5] = {}, T[3] = {};
        side(left_, 1.0, d, S, T);
        side(right_, -1.0, d, S, T);
        return solve_quadratic(S, T, d, h, fit);
    }

private:
    static void side(const Moments<13, 11> &m, double sign, double d, double *S, double *T) {
        // Coefficients of 1 + 3 sign s^3 + 3 s^6 + sign s^9 at s = t - d, in powers of t.
        double c[10] = {1, 0, 0, 3 * sign, 0, 0, 3, 0, 0, sign};
        for (int k = 0; k < 9; k++)
            for (int j = 8; j >= k; j--) c[j] -= d * c[j + 1];
        for (int k = 0; k < 10; k++) {
            for (int j = 0; j < 5; j++) S[j] += c[k] * m.p[j + k];
            for (int j = 0; j < 3; j++) T[j] += c[k] * m.q[j + k];
        }
    }
    Moments<13, 11> left_, right_;
};

// How many distinct u there are among the points up to each one; not counted where
// all are known to differ.
class Distinct {
public:
    Distinct(const double *u, int64_t n, bool all) {
        if (all) return;
        rank_.resize(n);
        for (int64_t i = 1; i < n; i++) rank_[i] = rank_[i - 1] + (u[i] != u[i - 1]);
    }
    // Degree that the points [l, r) can carry, at most 2.
    int degree(int64_t l, int64_t r) const {
        const int64_t steps = rank_.empty() ? r - 1 - l : rank_[r - 1] - rank_[l];
        return static_cast<int>(std::min<int64_t>(steps, 2));
    }

private:
    std::vector<int64_t> rank_;
};

// Where fits go: into arrays, or into the leave-one-out sum of squares.
struct StoreFits {
    double *value, *slope, *hat;
    void operator()(int64_t i, const LocalFit &fit) const {
        value[i] = fit.value, slope[i] = fit.slope, hat[i] = fit.hat;
    }
};
struct LeaveOneOut {
    const double *v;
    double squares = 0, freedom = 0;
    void operator()(int64_t i, const LocalFit &fit) {
        // A point that carries its own fit cannot be left out: no finite answer.
        const double rest = 1 - fit.hat;
        const double e = (v[i] - fit.value) / (rest > 1e-9 ? rest : 0.0);
        squares += e * e;
        freedom += fit.hat;
    }
};

constexpr int64_t kFewPoints = 16;  // below, a window is fitted directly

// Values of v that stay as they are from fit to fit.
struct FixedValues {
    template <typename Shift>
    void at(int64_t, Shift &&) {}
};

// Fits at the points [from, to) of n. Before the fit at point i, `values.at` may change v;
// it tells the window by how much.
template <typename Window, typename Values, typename Sink>
void running_fit(Kernel kernel, const double *u, const double *v, int64_t n, double h,
                 const Distinct &distinct, int64_t from, int64_t to, Values &values, Sink &sink) {
    const double per_h = 1.0 / h;
    Window window;
    double centre = 0, block_end = -INFINITY;
    int64_t l = 0, m = 0, r = 0;  // the window is [l, r), its points up to x are [l, m)
    // Invariant: `window` holds the moments about `centre` of the points j in
    // [l, r), which are those with |u[j] - u[i]| < h once both ends are moved.
    for (int64_t i = from; i < to; i++) {
        const double x = u[i];
        if (x > block_end) {
            block_end = x + h;
            centre = x + 0.5 * h;
            window.clear();
            while (u[l] <= x - h) l++;
            m = r = l;
        }
        values.at(i, [&](int64_t j, double by) {
            if (l <= j && j < r) window.shift((u[j] - centre) * per_h, by, j < m);
        });
        for (; r < n && u[r] < x + h; r++) window.enter((u[r] - centre) * per_h, v[r]);
        for (; m < r && u[m] <= x; m++) window.pass((u[m] - centre) * per_h, v[m]);
        for (; u[l] <= x - h; l++) window.leave((u[l] - centre) * per_h, v[l]);
        LocalFit fit;
        const int degree = distinct.degree(l, r);
        if (r - l < kFewPoints || degree < 2 || !window.solve((x - centre) * per_h, h, fit))
            fit = direct_fit(kernel, u, v, l, r, x, h, degree);
        sink(i, fit);
    }
}

// Evenly spaced points u = (i + 1)/n, as ranks are: away from the edges all windows have
// the same design, so only the moments of v run. Points that a full window reaches on
// either side, or 0 where windows are too small or too wide for that.
inline int64_t even_reach(int64_t n, double h) {
    const int64_t reach = static_cast<int64_t>(std::ceil(h * static_cast<double>(n))) - 1;
    return reach < kFewPoints || 2 * reach >= n ? 0 : reach;
}

// Epanechnikov fits at the points [reach, n - reach) of values v(j) that are zero more
// than `ahead` points above the fitted one.
template <typename Values, typename Sink>
void even_interior(int64_t n, double h, int64_t reach, int64_t ahead, Values &&v, Sink &sink) {
    const double step = 1.0 / (h * static_cast<double>(n));
    double S0 = 0, S2 = 0, S4 = 0;
    for (int64_t k = -reach; k <= reach; k++) {
        const double s = static_cast<double>(k) * step, w = 1 - s * s;
        S0 += w, S2 += w * s * s, S4 += w * s * s * s * s;
    }
    const double det = S0 * S4 - S2 * S2, A = S4 / det, C = -S2 / det, D = 1.0 / (S2 * h);
    // Invariant: q0..q4 are the moments of v about the block's centre over the
    // points i - reach .. i + ahead.
    for (int64_t start = reach; start < n - reach; start += reach) {
        const int64_t stop = std::min(start + reach, n - reach);
        const double centre = static_cast<double>(start) + 0.5 * static_cast<double>(reach);
        double q0 = 0, q1 = 0, q2 = 0, q3 = 0, q4 = 0;
        const auto change = [&](int64_t j, double y) {
            const double t = (static_cast<double>(j) - centre) * step, tt = t * t;
            const double ytt = y * tt;
            q0 += y, q1 += y * t, q2 += ytt, q3 += ytt * t, q4 += ytt * tt;
        };
        for (int64_t j = start - reach; j < start + ahead; j++) change(j, v(j));
        for (int64_t i = start; i < stop; i++) {
            change(i + ahead, v(i + ahead));
            const double d = (static_cast<double>(i) - centre) * step;
            const double c0 = 1 - d * d, c1 = 2 * d;
            const double T0 = c0 * q0 + c1 * q1 - q2;
            const double T1 = c0 * q1 + c1 * q2 - q3 - d * T0;
            const double T2 = c0 * q2 + c1 * q3 - q4 - d * (c1 * 0.5 * T0 + 2 * T1);
            sink(i, LocalFit{A * T0 + C * T2, D * T1, A});
            change(i - reach, -v(i - reach));
        }
    }
}

template <typename Sink>
void even_fit(const double *u, const double *v, int64_t n, double h, Sink &sink) {
    const Distinct distinct(u, n, true);
    FixedValues fixed;
    const auto general = [&](int64_t from, int64_t to) {
        running_fit<EpanechnikovWindow>(Kernel::epanechnikov, u, v, n, h, distinct, from, to,
                                        fixed, sink);
    };
    const int64_t reach = even_reach(n, h);
    if (reach == 0) return general(0, n);
    general(0, reach);
    general(n - reach, n);
    even_interior(n, h, reach, reach, [&](int64_t j) { return v[j]; }, sink);
}

template <typename Values, typename Sink>
void local_quadratic(Kernel kernel, const double *u, const double *v, int64_t n, double h,
                     const Distinct &distinct, Values &values, Sink &sink) {
    if (kernel == Kernel::epanechnikov)
        return running_fit<EpanechnikovWindow>(kernel, u, v, n, h, distinct, 0, n, values, sink);
    if (kernel == Kernel::tricube)
        return running_fit<TricubeWindow>(kernel, u, v, n, h, distinct, 0, n, values, sink);
    const double width = 8 * h;  // beyond it a weight is below 1.3e-14
    int64_t l = 0, r = 0;
    // Invariant: [l, r) are the points within `width` of u[i].
    for (int64_t i = 0; i < n; i++) {
        while (r < n && u[r] < u[i] + width) r++;
        while (u[l] <= u[i] - width) l++;
        values.at(i, [](int64_t, double) {});
        sink(i, direct_fit(kernel, u, v, l, r, u[i], h, distinct.degree(l, r)));
    }
}

template <typename Sink>
void local_quadratic(Kernel kernel, const double *u, const double *v, int64_t n, double h,
                     bool even, Sink &sink) {
    if (kernel == Kernel::epanechnikov && even) return even_fit(u, v, n, h, sink);
    FixedValues fixed;
    local_quadratic(kernel, u, v, n, h, Distinct(u, n, even), fixed, sink);
}

}  // namespace trueval

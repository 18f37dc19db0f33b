// Bindings of the kernels of the rank package.
#include "arrays.hpp"
#include "rank/dag.hpp"
#include "rank/isotonic.hpp"
#include "rank/label_weights.hpp"
#include "rank/modes.hpp"
#include "rank/moments.hpp"
#include "rank/precedence.hpp"
#include "rank/smoother.hpp"
#include "rank/spline.hpp"

using namespace trueval;

namespace {

Tuple<Out<double>, Out<double>, Out<double>> bound_local_quadratic(In<double> u, In<double> v,
                                                                   double h, int kernel,
                                                                   bool even) {
    const size_t n = u.size();
    std::vector<double> value(n), slope(n), hat(n);
    {
        nb::gil_scoped_release release;
        StoreFits store{value.data(), slope.data(), hat.data()};
        local_quadratic(static_cast<Kernel>(kernel), u.data(), v.data(), static_cast<int64_t>(n),
                        h, even, store);
    }
    return nb::make_tuple(to_numpy(std::move(value)), to_numpy(std::move(slope)),
                          to_numpy(std::move(hat)));
}

// Leave-one-out sum of squares and trace of the hat matrix.
Tuple<double, double> bound_leave_one_out(In<double> u, In<double> v, double h, int kernel,
                                          bool even) {
    LeaveOneOut left{v.data()};
    {
        nb::gil_scoped_release release;
        local_quadratic(static_cast<Kernel>(kernel), u.data(), v.data(),
                        static_cast<int64_t>(u.size()), h, even, left);
    }
    return nb::make_tuple(left.squares, left.freedom);
}

// Weight of each object's own label in the precision fitted at its rank, and in the slope.
nb::tuple bound_label_hat(In<int64_t> start, int64_t n, int64_t above, double h, int kernel) {
    std::vector<double> value(n), slope(n);
    {
        nb::gil_scoped_release release;
        const Segment segment{n, above, start.data(), static_cast<int64_t>(start.size())};
        label_hat(static_cast<Kernel>(kernel), segment, h, value.data(), slope.data());
    }
    return nb::make_tuple(to_numpy(std::move(value)), to_numpy(std::move(slope)));
}

// Sum of squared label weights in the mean rate of the ranks [first[k], first[k + 1]) of
// `rank`; terms: kernel, width in ranks, share of the value, share of the slope.
Out<double> bound_squared_label_weights(In<int64_t> start, int64_t n, int64_t above,
                                        In<int64_t> rank, In<int64_t> first, In<int64_t> kernel,
                                        In<double> width, In<double> value, In<double> slope) {
    std::vector<double> out(first.size() - 1);
    {
        nb::gil_scoped_release release;
        const Segment segment{n, above, start.data(), static_cast<int64_t>(start.size())};
        std::vector<RateTerm> terms(kernel.size());
        const auto at = [&](int64_t i) -> const std::vector<RateTerm> & {
            for (size_t k = 0; k < terms.size(); k++)
                // The rate is G - (1 - u) dG/du, and 1 - u are so many ranks.
                terms[k] = RateTerm{static_cast<Kernel>(kernel.data()[k]), width.data()[k],
                                    value.data()[k],
                                    -slope.data()[k] * static_cast<double>(above - i - 1)};
            return terms;
        };
        for (size_t k = 0; k < out.size(); k++) {
            const int64_t begin = first.data()[k], end = first.data()[k + 1];
            out[k] = squared_label_weights(segment, rank.data() + begin, end - begin, at);
        }
    }
    return to_numpy(std::move(out));
}

Out<int64_t> bound_pool_adjacent(In<double> sums, In<double> weights) {
    std::vector<int64_t> start;
    {
        nb::gil_scoped_release release;
        start = pool_adjacent(sums.data(), weights.data(), static_cast<int64_t>(sums.size()));
    }
    return to_numpy(std::move(start));
}

// `values` and the result: rows one after the other, each as long as `parent`.
Out<double> bound_project_forest(In<double> values, In<int32_t> order, In<int32_t> parent) {
    const int64_t n_nodes = static_cast<int64_t>(parent.size());
    std::vector<double> out(values.size());
    {
        nb::gil_scoped_release release;
        ForestProjection forest(order.data(), parent.data(), n_nodes);
        for (int64_t at = 0; at < static_cast<int64_t>(values.size()); at += n_nodes)
            forest.project(values.data() + at, out.data() + at);
    }
    return to_numpy(std::move(out));
}

// For each row of a forest, the largest mean of connected classes with each class at their top.
Out<double> bound_best_means(In<double> values, In<int32_t> order, In<int32_t> parent) {
    const int64_t n_nodes = static_cast<int64_t>(parent.size());
    std::vector<double> out(values.size());
    {
        nb::gil_scoped_release release;
        ForestProjection forest(order.data(), parent.data(), n_nodes);
        for (int64_t at = 0; at < static_cast<int64_t>(values.size()); at += n_nodes) {
            forest.project(values.data() + at, out.data() + at);
            forest.best_means(out.data() + at);
        }
    }
    return to_numpy(std::move(out));
}

// Classes of each row, parents first, the largest keys as early as that allows. `first` and
// `second`: keys of rows one after the other, each row `n_nodes` long.
Out<int32_t> bound_precedence_order(In<double> first, In<double> second, In<int32_t> child,
                                    In<int32_t> parent, int64_t n_nodes) {
    std::vector<int32_t> out(first.size());
    {
        nb::gil_scoped_release release;
        PrecedenceOrder classes(child.data(), parent.data(), static_cast<int64_t>(child.size()),
                                n_nodes);
        for (int64_t at = 0; at < static_cast<int64_t>(first.size()); at += n_nodes)
            classes.order(first.data() + at, second.data() + at, out.data() + at);
    }
    return to_numpy(std::move(out));
}

// Works on rows of values, one after the other and each as long as `order`, in place:
// rule 0 projects, 1 raises parents, 2 lowers children. Returns the proven gap of each
// row's projection.
Out<double> bound_consistent_rows(Inout<double> values, In<int32_t> order, In<int32_t> child,
                                  In<int32_t> parent, int rule) {
    const int64_t n = static_cast<int64_t>(order.size());
    const int64_t n_rows = static_cast<int64_t>(values.size()) / n;
    std::vector<double> gap(n_rows);
    {
        nb::gil_scoped_release release;
        const Dag dag(order.data(), n, child.data(), parent.data(),
                      static_cast<int64_t>(child.size()));
        DagProjection projection(dag);
        for (int64_t row = 0; row < n_rows; row++) {
            double *x = values.data() + row * n;
            if (rule == 0) gap[row] = projection.project(x);
            if (rule == 1) dag.raise(x);
            if (rule == 2) dag.lower(x);
        }
    }
    return to_numpy(std::move(gap));
}

Tuple<Out<double>, Out<double>, double, double, double> bound_fit_spline(In<double> x,
                                                            In<double> n, In<double> y,
                                                            In<double> prior,
                           double ridge, In<double> penalties, bool monotone) {
    SplineFit fit;
    {
        nb::gil_scoped_release release;
        fit = fit_spline(x.data(), n.data(), y.data(), static_cast<int64_t>(x.size()),
                         static_cast<int64_t>(prior.size()) - 3, prior.data(), ridge,
                         penalties.data(), static_cast<int64_t>(penalties.size()), monotone);
    }
    return nb::make_tuple(to_numpy(std::move(fit.coef)), to_numpy(std::move(fit.covariance)),
                          fit.penalty, fit.deviance, fit.freedom);
}

// Groups of all classes one after the other, equally many in each class; `coef` is where to
// begin. Returns the modes, the covariances around them and the log posteriors.
Tuple<Out<double>, Out<double>, Out<double>> bound_posterior_modes(In<double> x, In<double> size,
                                                                   In<double> positives,
                                                                   In<double> centre,
                                                                   In<double> precision,
                                                                   In<double> coef,
                                                                   int64_t n_coef) {
    const int64_t n_classes = static_cast<int64_t>(coef.size()) / n_coef;
    const int64_t n_groups = n_classes ? static_cast<int64_t>(size.size()) / n_classes : 0;
    std::vector<double> mode(coef.data(), coef.data() + coef.size());
    std::vector<double> covariance(coef.size() * n_coef), log_posterior(n_classes);
    {
        nb::gil_scoped_release release;
        PosteriorMode search(precision.data(), n_coef);
        for (int64_t k = 0; k < n_classes; k++)
            log_posterior[k] = search.find(
                x.data() + k * n_groups * n_coef, size.data() + k * n_groups,
                positives.data() + k * n_groups, n_groups, centre.data() + k * n_coef,
                mode.data() + k * n_coef, covariance.data() + k * n_coef * n_coef);
    }
    return nb::make_tuple(to_numpy(std::move(mode)), to_numpy(std::move(covariance)),
                          to_numpy(std::move(log_posterior)));
}

// Linear predictor and its standard error at each x.
Tuple<Out<double>, Out<double>> bound_eval_spline(In<double> x, In<double> coef,
                                                  In<double> covariance) {
    const int64_t q = static_cast<int64_t>(coef.size());
    std::vector<double> eta(x.size()), error(x.size());
    {
        nb::gil_scoped_release release;
        double basis[4];
        for (size_t i = 0; i < x.size(); i++) {
            const int64_t first = spline_basis(x.data()[i], q - 3, basis);
            double sum = 0, variance = 0;
            for (int a = 0; a < 4; a++) {
                sum += basis[a] * coef.data()[first + a];
                for (int b = 0; b < 4; b++)
                    variance += basis[a] * basis[b] * covariance.data()[(first + a) * q + first + b];
            }
            eta[i] = sum;
            error[i] = std::sqrt(std::max(variance, 0.0));
        }
    }
    return nb::make_tuple(to_numpy(std::move(eta)), to_numpy(std::move(error)));
}

// `weight`: of each pair, or empty where all count 1.
template <typename Unit>
Out<double> bound_unit_moments(In<Unit> unit, In<uint8_t> hit, In<double> weight,
                               In<double> positives, In<int64_t> ends) {
    std::vector<double> out;
    {
        nb::gil_scoped_release release;
        out = unit_moments(unit.data(), hit.data(), weight.size() ? weight.data() : nullptr,
                           positives.data(), static_cast<int64_t>(positives.size()), ends.data(),
                           static_cast<int64_t>(ends.size()));
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_rank(nb::module_ &m) {
    using namespace nb::literals;
    m.def("local_quadratic", &bound_local_quadratic, "u"_a, "v"_a, "h"_a, "kernel"_a, "even"_a);
    m.def("leave_one_out", &bound_leave_one_out, "u"_a, "v"_a, "h"_a, "kernel"_a, "even"_a);
    m.def("label_hat", &bound_label_hat, "start"_a, "n"_a, "above"_a, "h"_a, "kernel"_a);
    m.def("squared_label_weights", &bound_squared_label_weights, "start"_a, "n"_a, "above"_a,
          "rank"_a, "first"_a, "kernel"_a, "width"_a, "value"_a, "slope"_a);
    m.def("pool_adjacent", &bound_pool_adjacent, "sums"_a, "weights"_a);
    m.def("best_means", &bound_best_means, "values"_a, "order"_a, "parent"_a);
    m.def("precedence_order", &bound_precedence_order, "first"_a, "second"_a, "child"_a,
          "parent"_a, "n_nodes"_a);
    m.def("project_forest", &bound_project_forest, "values"_a, "order"_a, "parent"_a);
    m.def("consistent_rows", &bound_consistent_rows, "values"_a, "order"_a, "child"_a, "parent"_a,
          "rule"_a);
    m.def("fit_spline", &bound_fit_spline, "x"_a, "n"_a, "y"_a, "prior"_a, "ridge"_a,
          "penalties"_a, "monotone"_a);
    m.def("posterior_modes", &bound_posterior_modes, "x"_a, "size"_a, "positives"_a, "centre"_a,
          "precision"_a, "coef"_a, "n_coef"_a);
    m.def("unit_moments", &bound_unit_moments<int32_t>, "unit"_a.noconvert(), "hit"_a, "weight"_a,
          "positives"_a, "ends"_a);
    m.def("unit_moments", &bound_unit_moments<int64_t>, "unit"_a.noconvert(), "hit"_a, "weight"_a,
          "positives"_a, "ends"_a);
    m.def("eval_spline", &bound_eval_spline, "x"_a, "coef"_a, "covariance"_a);
}

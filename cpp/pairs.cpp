// Bindings of the kernels of the pairs package.
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "pairs/balance.hpp"
#include "pairs/knn.hpp"
#include "pairs/ridge.hpp"
#include "signals.hpp"

using namespace trueval;

namespace {

Tuple<Out<double>, Out<double>, int64_t> bound_pair_knn(
                         int64_t n_features, In<double> query_vectors, In<double> train_vectors,
                         In<double> cross, In<double> query_norm, In<double> train_norm,
                         In<int32_t> query_a, In<int32_t> query_b,
                         In<int32_t> train_a, In<int32_t> train_b, In<double> y,
                         In<int32_t> label_a, In<int32_t> label_b, In<int64_t> task_start,
                         In<int32_t> task_p, In<int32_t> task_q, In<int64_t> values, bool strict,
                         bool relaxed) {
    size_t cells = task_p.size() * values.size();
    std::vector<double> strict_scores(strict ? cells : 0), relaxed_scores(relaxed ? cells : 0);
    PairKnnProblem problem{n_features,
                           query_vectors.data(),
                           train_vectors.data(),
                           static_cast<int64_t>(train_vectors.size()) / n_features,
                           cross.data(),
                           query_norm.data(),
                           train_norm.data(),
                           static_cast<int64_t>(query_a.size()),
                           query_a.data(),
                           query_b.data(),
                           static_cast<int64_t>(train_a.size()),
                           train_a.data(),
                           train_b.data(),
                           y.data(),
                           label_a.data(),
                           label_b.data(),
                           task_start.data(),
                           task_p.data(),
                           task_q.data(),
                           static_cast<int64_t>(values.size()),
                           values.data()};
    PairKnnResult result{strict ? strict_scores.data() : nullptr,
                         relaxed ? relaxed_scores.data() : nullptr, 0};
    {
        nb::gil_scoped_release release;
        Signals poll;
        PairKnn(problem).run(result, poll);
    }
    return nb::make_tuple(to_numpy(std::move(strict_scores)), to_numpy(std::move(relaxed_scores)),
                          result.fewest);
}

Tuple<Out<double>, bool> bound_pair_ridge(
                           int64_t n_columns, int64_t n_penalised, In<double> x, In<double> y,
                           In<int32_t> label_a, In<int32_t> label_b, int64_t n_labels,
                           In<int32_t> fold_p, In<int32_t> fold_q, In<int64_t> pair_start,
                           In<int32_t> pair_rows, In<int64_t> self_start, In<int32_t> self_rows,
                           In<int64_t> task_start, In<int32_t> task_rows, In<double> values,
                           bool strict) {
    std::vector<double> scores(task_rows.size() * values.size());
    PairRidgeProblem problem{static_cast<int64_t>(y.size()),
                             n_columns,
                             n_labels,
                             x.data(),
                             y.data(),
                             label_a.data(),
                             label_b.data(),
                             static_cast<int64_t>(fold_p.size()),
                             fold_p.data(),
                             fold_q.data(),
                             pair_start.data(),
                             pair_rows.data(),
                             self_start.data(),
                             self_rows.data(),
                             task_start.data(),
                             task_rows.data(),
                             static_cast<int64_t>(values.size()),
                             values.data(),
                             n_penalised,
                             strict};
    bool solved;
    {
        nb::gil_scoped_release release;
        Signals poll;
        solved = PairRidge(problem, poll).run(scores.data(), poll);
    }
    return nb::make_tuple(to_numpy(std::move(scores)), solved);
}

double bound_balance_parts(In<int64_t> item_start, In<int32_t> item_rows, In<int32_t> row_items,
                           In<double> row_weight, In<uint8_t> row_positive,
                           In<int64_t> kind_start, In<double> size, In<double> degree,
                           In<double> positive, In<double> shares, bool stratify, bool keep,
                           bool moves, int sweeps, int tries, double hot, double cold,
                           uint64_t seed, Inout<int32_t> part) {
    auto n_rows = static_cast<int64_t>(row_weight.size());
    BalanceProblem problem{static_cast<int64_t>(part.size()),
                           n_rows,
                           static_cast<int64_t>(row_items.size()) / n_rows,
                           static_cast<int64_t>(kind_start.size()) - 1,
                           static_cast<int>(shares.size()),
                           item_start.data(),
                           item_rows.data(),
                           row_items.data(),
                           row_weight.data(),
                           row_positive.data(),
                           kind_start.data(),
                           size.data(),
                           degree.data(),
                           positive.data(),
                           shares.data(),
                           stratify,
                           keep,
                           moves};
    nb::gil_scoped_release release;
    Balance search(problem, part.data());
    SplitMix64 random{seed};
    Signals poll;
    for (int s = 0; s < sweeps; s++) {
        poll();
        if (keep)
            search.anneal(random, search.row_price() * hot * std::pow(cold / hot, (s + 0.5) / sweeps));
        else if (!search.sweep(random, tries))
            break;
    }
    return search.cost();
}

}  // namespace

void bind_pairs(nb::module_ &m) {
    using namespace nb::literals;
    m.def("pair_knn", &bound_pair_knn, "n_features"_a, "query_vectors"_a, "train_vectors"_a,
          "cross"_a, "query_norm"_a, "train_norm"_a, "query_a"_a, "query_b"_a, "train_a"_a, "train_b"_a, "y"_a, "label_a"_a,
          "label_b"_a, "task_start"_a, "task_p"_a, "task_q"_a, "values"_a, "strict"_a,
          "relaxed"_a);
    m.def("pair_ridge", &bound_pair_ridge, "n_columns"_a, "n_penalised"_a, "x"_a, "y"_a,
          "label_a"_a, "label_b"_a, "n_labels"_a, "fold_p"_a, "fold_q"_a, "pair_start"_a,
          "pair_rows"_a, "self_start"_a, "self_rows"_a, "task_start"_a, "task_rows"_a,
          "values"_a, "strict"_a);
    m.def("balance_parts", &bound_balance_parts, "item_start"_a, "item_rows"_a, "row_items"_a,
          "row_weight"_a, "row_positive"_a, "kind_start"_a, "size"_a, "degree"_a, "positive"_a,
          "shares"_a, "stratify"_a, "keep"_a, "moves"_a, "sweeps"_a, "tries"_a, "hot"_a, "cold"_a,
          "seed"_a, "part"_a);
}

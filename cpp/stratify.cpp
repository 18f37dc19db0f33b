// Bindings of the kernels of the stratify package.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "signals.hpp"
#include "stratify/exchange.hpp"
#include "stratify/group_cost.hpp"
#include "stratify/iterative.hpp"
#include "stratify/mend.hpp"
#include "stratify/optisplit.hpp"
#include "stratify/rows.hpp"
#include "stratify/separate.hpp"

using namespace trueval;

namespace {

// Owns references to the arrays that AnnealSearch reads.
template <typename Table>
class BoundAnneal {
public:
    BoundAnneal(In<int64_t> indptr, In<int32_t> indices, std::optional<In<int32_t>> counts,
                In<int32_t> list_of_item, std::optional<In<int32_t>> item_size, bool by_part,
                In<int64_t> slope, In<int64_t> dip, In<int32_t> whole, In<double> bend, In<float> fraction,
                In<float> weight, In<float> factor, In<double> log_share, In<double> reach,
                In<int32_t> base_counts, In<int64_t> base_sizes, In<int64_t> low,
                In<int64_t> high, In<int32_t> noise, std::optional<In<int64_t>> edge_indptr,
                std::optional<In<int32_t>> edge_to, std::optional<In<int64_t>> edge_price,
                Inout<int32_t> parts, uint64_t seed)
        : indptr_(indptr), indices_(indices), counts_(counts), list_of_item_(list_of_item),
          item_size_(item_size), slope_(slope), dip_(dip), whole_(whole), bend_(bend), fraction_(fraction),
          weight_(weight), factor_(factor), reach_(reach), base_counts_(base_counts),
          base_sizes_(base_sizes), low_(low), high_(high), noise_(noise),
          edge_indptr_(edge_indptr), edge_price_(edge_price), edge_to_(edge_to), parts_(parts),
          search_(AnnealProblem{static_cast<int64_t>(list_of_item.size()),
                                static_cast<int64_t>(weight.size()),
                                static_cast<int>(factor.size()), indptr.data(), indices.data(),
                                counts ? counts->data() : nullptr, list_of_item.data(),
                                item_size ? item_size->data() : nullptr, by_part, slope.data(),
                                dip.data(), whole.data(), bend.data(), fraction.data(), weight.data(),
                                factor.data(), reach.data(), base_counts.data(),
                                base_sizes.data(), low.data(), high.data(), noise.data(),
                                edge_indptr ? edge_indptr->data() : nullptr,
                                edge_to ? edge_to->data() : nullptr,
                                edge_price ? edge_price->data() : nullptr},
                  log_share.data(), parts.data(), seed) {}

    void greedy(In<int64_t> order) {
        nb::gil_scoped_release release;
        search_.greedy(order.data());
    }
    int64_t anneal(double temperature, double size_weight, int64_t work) {
        nb::gil_scoped_release release;
        return search_.anneal(temperature, size_weight, work);
    }
    int64_t improve(double size_weight) {
        nb::gil_scoped_release release;
        return search_.improve(size_weight);
    }
    int64_t settled() {
        nb::gil_scoped_release release;
        if constexpr (Table::kGroups) return 0;
        else return settle(search_);
    }
    int64_t exchanged(int partners) {
        nb::gil_scoped_release release;
        return exchange(search_, partners);
    }
    int64_t all_exchanged() {
        nb::gil_scoped_release release;
        return exchange_all(search_);
    }
    int64_t mended(int64_t work, int64_t reward) {
        nb::gil_scoped_release release;
        if constexpr (Table::kGroups) return 0;
        else return Mending(search_).run(work, reward);
    }
    void restart() {
        nb::gil_scoped_release release;
        search_.restart();
    }
    Out<int64_t> costs() {
        std::vector<int64_t> sums;
        {
            nb::gil_scoped_release release;
            sums = search_.costs();
        }
        return to_numpy(std::move(sums));
    }
    int64_t cut() const {
        nb::gil_scoped_release release;
        return search_.cut();
    }
    std::vector<int64_t> sizes() const { return search_.size; }

    static void bind(nb::module_ &m, const char *name) {
        using namespace nb::literals;
        nb::class_<BoundAnneal>(m, name)
            .def(nb::init<In<int64_t>, In<int32_t>, std::optional<In<int32_t>>, In<int32_t>,
                          std::optional<In<int32_t>>, bool, In<int64_t>, In<int64_t>,
                          In<int32_t>, In<double>, In<float>, In<float>, In<float>, In<double>, In<double>,
                          In<int32_t>, In<int64_t>, In<int64_t>, In<int64_t>, In<int32_t>,
                          std::optional<In<int64_t>>, std::optional<In<int32_t>>,
                          std::optional<In<int64_t>>, Inout<int32_t>, uint64_t>(),
                 "indptr"_a, "indices"_a, "counts"_a.none(), "list_of_item"_a,
                 "item_size"_a.none(), "by_part"_a, "slope"_a, "dip"_a, "whole"_a, "bend"_a, "fraction"_a,
                 "weight"_a, "factor"_a, "log_share"_a, "reach"_a, "base_counts"_a,
                 "base_sizes"_a, "low"_a, "high"_a, "noise"_a,
                 "edge_indptr"_a.none(), "edge_to"_a.none(), "edge_price"_a.none(), "parts"_a,
                 "seed"_a)
            .def("greedy", &BoundAnneal::greedy, "order"_a)
            .def("anneal", &BoundAnneal::anneal, "temperature"_a, "size_weight"_a, "work"_a)
            .def("improve", &BoundAnneal::improve, "size_weight"_a)
            .def("settle", &BoundAnneal::settled)
            .def("exchange", &BoundAnneal::exchanged, "partners"_a)
            .def("exchange_all", &BoundAnneal::all_exchanged)
            .def("mend", &BoundAnneal::mended, "work"_a, "reward"_a)
            .def("restart", &BoundAnneal::restart)
            .def("costs", &BoundAnneal::costs)
            .def("cut", &BoundAnneal::cut)
            .def("sizes", &BoundAnneal::sizes);
    }

private:
    In<int64_t> indptr_;
    In<int32_t> indices_;
    std::optional<In<int32_t>> counts_;
    In<int32_t> list_of_item_;
    std::optional<In<int32_t>> item_size_;
    In<int64_t> slope_, dip_;
    In<int32_t> whole_;
    In<double> bend_;
    In<float> fraction_, weight_, factor_;
    In<double> reach_;
    In<int32_t> base_counts_;
    In<int64_t> base_sizes_, low_, high_;
    In<int32_t> noise_;
    std::optional<In<int64_t>> edge_indptr_, edge_price_;
    std::optional<In<int32_t>> edge_to_;
    Inout<int32_t> parts_;
    AnnealSearch<Table> search_;
};

// The same for OptiSplit; the order is only read by the constructor.
class BoundOptiSplit {
public:
    BoundOptiSplit(In<int64_t> indptr, In<int32_t> indices, In<int64_t> order, int64_t n_classes,
                   In<double> shares, int measure, Inout<int32_t> folds)
        : indptr_(indptr), indices_(indices), shares_(shares), folds_(folds),
          search_(indptr.data(), indices.data(), order.data(),
                  static_cast<int64_t>(folds.size()), n_classes, shares.data(),
                  static_cast<int>(shares.size()), static_cast<Measure>(measure), folds.data()) {}

    int64_t epoch() {
        nb::gil_scoped_release release;
        return search_.epoch();
    }
    Tuple<Out<int32_t>, Out<int32_t>> rebalance(int64_t worst) {
        std::vector<int32_t> rows, parts;
        {
            nb::gil_scoped_release release;
            for (const auto &[row, from] : search_.rebalance(worst)) {
                rows.push_back(row);
                parts.push_back(from);
            }
        }
        return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(parts)));
    }
    void put(In<int32_t> rows, In<int32_t> parts) {
        nb::gil_scoped_release release;
        for (size_t r = 0; r < rows.size(); r++) search_.put(rows.data()[r], parts.data()[r]);
    }

private:
    In<int64_t> indptr_;
    In<int32_t> indices_;
    In<double> shares_;
    Inout<int32_t> folds_;
    OptiSplit search_;
};

Tuple<Out<int64_t>, Out<int64_t>> bound_equal_rows(In<int64_t> indptr, In<int32_t> indices,
                                                   In<uint64_t> class_keys, uint64_t seed,
                                                   std::optional<In<uint64_t>> row_keys) {
    std::vector<int64_t> order, starts;
    {
        nb::gil_scoped_release release;
        equal_rows(indptr.data(), indices.data(), static_cast<int64_t>(indptr.size()) - 1,
                   class_keys.data(), row_keys ? row_keys->data() : nullptr, seed, order, starts);
    }
    return nb::make_tuple(to_numpy(std::move(order)), to_numpy(std::move(starts)));
}

Out<uint64_t> bound_set_hashes(In<int64_t> indptr, In<int32_t> indices, In<uint64_t> class_keys) {
    std::vector<uint64_t> hashes(indptr.size() - 1);
    {
        nb::gil_scoped_release release;
        for (size_t row = 0; row < hashes.size(); row++)
            hashes[row] = set_hash(indptr.data(), indices.data(), static_cast<int64_t>(row),
                                   class_keys.data());
    }
    return to_numpy(std::move(hashes));
}

Out<int64_t> bound_part_counts(In<int64_t> indptr, In<int32_t> indices, In<int32_t> folds,
                               int64_t n_classes, int n_parts,
                               std::optional<In<int32_t>> list_of_row) {
    std::vector<int64_t> counts(static_cast<size_t>(n_classes) * n_parts, 0);
    {
        nb::gil_scoped_release release;
        part_counts(indptr.data(), indices.data(), static_cast<int64_t>(folds.size()),
                    folds.data(), list_of_row ? list_of_row->data() : nullptr, n_parts,
                    counts.data());
    }
    return to_numpy(std::move(counts));
}

Tuple<Out<int64_t>, Out<int32_t>> bound_flip_classes(In<int64_t> indptr, In<int32_t> indices,
                                                     In<int32_t> flipped) {
    std::vector<int64_t> new_indptr;
    std::vector<int32_t> new_indices;
    {
        nb::gil_scoped_release release;
        flip_classes(indptr.data(), indices.data(), static_cast<int64_t>(indptr.size()) - 1,
                     std::vector<int32_t>(flipped.data(), flipped.data() + flipped.size()),
                     new_indptr, new_indices);
    }
    return nb::make_tuple(to_numpy(std::move(new_indptr)), to_numpy(std::move(new_indices)));
}

Out<double> bound_row_sums(In<int64_t> indptr, In<int32_t> indices,
                           std::optional<In<int32_t>> counts, In<double> value_of_class) {
    std::vector<double> sums(indptr.size() - 1);
    {
        nb::gil_scoped_release release;
        row_sums(indptr.data(), indices.data(), counts ? counts->data() : nullptr,
                 static_cast<int64_t>(sums.size()), value_of_class.data(), sums.data());
    }
    return to_numpy(std::move(sums));
}

Tuple<Out<int32_t>, int> bound_iterative(In<int64_t> indptr, In<int32_t> indices, In<int64_t> order,
                          int64_t n_classes, In<double> shares, Inout<uint32_t> mt_key,
                          int mt_pos) {
    std::vector<int32_t> folds(order.size());
    Mt19937 random{mt_key.data(), mt_pos};
    {
        nb::gil_scoped_release release;
        Signals poll;
        iterative_stratification(indptr.data(), indices.data(), order.data(),
                                 static_cast<int64_t>(order.size()), n_classes, shares.data(),
                                 static_cast<int>(shares.size()), random, folds.data(), poll);
    }
    return nb::make_tuple(to_numpy(std::move(folds)), random.pos);
}

Graph graph_of(const In<int64_t> &indptr, const In<int32_t> &indices, const In<double> &weight,
               const In<int64_t> &size) {
    return {static_cast<int64_t>(size.size()), indptr.data(), indices.data(), weight.data(),
            size.data()};
}

int64_t bound_propagate(In<int64_t> indptr, In<int32_t> indices, In<double> weight,
                        In<int64_t> size, In<uint8_t> pinned, In<int64_t> capacity,
                        Inout<int64_t> load, Inout<int32_t> label, int rounds, uint64_t seed) {
    nb::gil_scoped_release release;
    return propagate(graph_of(indptr, indices, weight, size), pinned.data(), capacity.data(),
                     load.data(), label.data(), static_cast<int64_t>(capacity.size()), rounds,
                     seed);
}

double bound_separate(In<int64_t> indptr, In<int32_t> indices, In<double> weight,
                      In<int64_t> size, In<double> price, In<uint8_t> pinned,
                      In<int64_t> capacity, Inout<int32_t> part, double hot, double cold,
                      int64_t work, bool make_room, uint64_t seed) {
    nb::gil_scoped_release release;
    Separation separation(graph_of(indptr, indices, weight, size), price.data(), pinned.data(),
                          capacity.data(), static_cast<int>(capacity.size()), part.data(), seed);
    separation.cover();
    return separation.search(hot, cold, work, make_room);
}

Out<double> bound_group_costs(In<int64_t> indptr, In<int64_t> positives, In<int64_t> rows,
                              In<int64_t> brought, In<int64_t> room, In<double> shares) {
    const GroupCosts problem{static_cast<int64_t>(indptr.size()) - 1,
                             indptr.data(),
                             positives.data(),
                             rows.data(),
                             brought.data(),
                             room.data(),
                             shares.data(),
                             static_cast<int>(shares.size())};
    std::vector<double> costs(problem.n_classes);
    {
        nb::gil_scoped_release release;
        GroupCost cost(problem);
        for (int64_t c = 0; c < problem.n_classes; c++) costs[c] = cost.of_class(c);
    }
    return to_numpy(std::move(costs));
}

}  // namespace

void bind_stratify(nb::module_ &m) {
    using namespace nb::literals;
    m.def("set_hashes", &bound_set_hashes, "indptr"_a, "indices"_a, "class_keys"_a);
    m.def("equal_rows", &bound_equal_rows, "indptr"_a, "indices"_a, "class_keys"_a, "seed"_a,
          "row_keys"_a.none() = nb::none());
    m.def("part_counts", &bound_part_counts, "indptr"_a, "indices"_a, "folds"_a, "n_classes"_a,
          "n_parts"_a, "list_of_row"_a.none() = nb::none());
    m.def("flip_classes", &bound_flip_classes, "indptr"_a, "indices"_a, "flipped"_a);
    m.def("row_sums", &bound_row_sums, "indptr"_a, "indices"_a, "counts"_a.none(),
          "value_of_class"_a);
    m.def("iterative_stratification", &bound_iterative, "indptr"_a, "indices"_a, "order"_a,
          "n_classes"_a, "shares"_a, "mt_key"_a, "mt_pos"_a);
    m.def("propagate", &bound_propagate, "indptr"_a, "indices"_a, "weight"_a, "size"_a,
          "pinned"_a, "capacity"_a, "load"_a, "label"_a, "rounds"_a, "seed"_a);
    m.def("separate", &bound_separate, "indptr"_a, "indices"_a, "weight"_a, "size"_a, "price"_a,
          "pinned"_a, "capacity"_a, "part"_a, "hot"_a, "cold"_a, "work"_a,
          "make_room"_a, "seed"_a);
    m.def("group_costs", &bound_group_costs, "indptr"_a, "positives"_a, "rows"_a, "brought"_a,
          "room"_a, "shares"_a);
    BoundAnneal<UnitTable>::bind(m, "RowSearch");
    BoundAnneal<GroupTable>::bind(m, "GroupSearch");
    nb::class_<BoundOptiSplit>(m, "OptiSplitSearch")
        .def(nb::init<In<int64_t>, In<int32_t>, In<int64_t>, int64_t, In<double>, int,
                      Inout<int32_t>>(),
             "indptr"_a, "indices"_a, "order"_a, "n_classes"_a, "shares"_a, "measure"_a,
             "folds"_a)
        .def("epoch", &BoundOptiSplit::epoch)
        .def("rebalance", &BoundOptiSplit::rebalance, "worst"_a)
        .def("put", &BoundOptiSplit::put, "rows"_a, "parts"_a);
}

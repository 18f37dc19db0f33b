// Bindings of the kernels of trueval.cafa.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "cafa/lines.hpp"
#include "cafa/propagate.hpp"

using namespace trueval;

namespace {

std::tuple<Out<int32_t>, Out<double>, Out<int64_t>, Out<int64_t>, Out<int64_t>, int64_t>
bound_word_lines(In<uint8_t> text, int64_t n_names, In<int64_t> number_columns, bool keywords) {
    WordLines found;
    {
        nb::gil_scoped_release release;
        found = parse_word_lines(reinterpret_cast<const char *>(text.data()), text.size(), n_names,
                                 number_columns.data(), number_columns.size(), keywords);
    }
    return {to_numpy(std::move(found.codes)), to_numpy(std::move(found.numbers)),
            to_numpy(std::move(found.spans)), to_numpy(std::move(found.n_new)),
            to_numpy(std::move(found.other)), found.n_lines};
}

std::tuple<Out<int64_t>, Out<int32_t>, Out<double>> bound_carry_scores(
    In<int64_t> indptr, In<int32_t> indices, In<double> scores, In<int64_t> parent_start,
    In<int32_t> parents, bool fill) {
    CarriedScores found;
    {
        nb::gil_scoped_release release;
        found = carry_scores(indptr.data(), indptr.size() - 1, indices.data(), scores.data(),
                             parent_start.data(), parents.data(), parent_start.size() - 1, fill);
    }
    return {to_numpy(std::move(found.indptr)), to_numpy(std::move(found.indices)),
            to_numpy(std::move(found.scores))};
}

}  // namespace

void bind_cafa(nb::module_ &m) {
    using namespace nb::literals;
    m.def("word_lines", &bound_word_lines, "text"_a, "n_names"_a, "number_columns"_a,
          "keywords"_a);
    m.def("carry_scores", &bound_carry_scores, "indptr"_a, "indices"_a, "scores"_a,
          "parent_start"_a, "parents"_a, "fill"_a);
}

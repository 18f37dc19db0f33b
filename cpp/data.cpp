// Bindings of the data room's kernels.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "data/lines.hpp"

using namespace trueval;

namespace {

std::tuple<Out<int64_t>, Out<int64_t>, int64_t, int64_t, int64_t, int64_t> bound_label_lines(
    In<uint8_t> text, int64_t n_labels, int64_t n_features, bool svmlight) {
    LabelLines found;
    {
        nb::gil_scoped_release release;
        found = parse_label_lines(reinterpret_cast<const char *>(text.data()), text.size(),
                                  n_labels, n_features, svmlight);
    }
    return {to_numpy(std::move(found.counts)), to_numpy(std::move(found.labels)),
            static_cast<int64_t>(found.error), found.line, found.offset, found.last_written};
}

}  // namespace

void bind_data(nb::module_ &m) {
    using namespace nb::literals;
    m.def("label_lines", &bound_label_lines, "text"_a, "n_labels"_a, "n_features"_a,
          "svmlight"_a);
}

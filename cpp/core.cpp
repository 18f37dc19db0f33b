// Bindings of the kernels of trueval.core.
#include "arrays.hpp"
#include "core/signatures.hpp"

using namespace trueval;

namespace {

Tuple<Out<int64_t>, Out<uint64_t>> bound_class_signatures(In<int64_t> indptr,
                                                          In<int32_t> indices,
                                                          int64_t n_classes) {
    std::vector<int64_t> sizes(n_classes, 0);
    std::vector<uint64_t> signatures(n_classes, 0);
    {
        nb::gil_scoped_release release;
        class_signatures(indptr.data(), indices.data(), static_cast<int64_t>(indptr.size()) - 1,
                         sizes.data(), signatures.data());
    }
    return nb::make_tuple(to_numpy(std::move(sizes)), to_numpy(std::move(signatures)));
}

}  // namespace

void bind_core(nb::module_ &m) {
    using namespace nb::literals;
    m.def("class_signatures", &bound_class_signatures, "indptr"_a, "indices"_a, "n_classes"_a);
}

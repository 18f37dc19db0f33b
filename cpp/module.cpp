// trueval._kernels: the hot loops of all packages in one extension module.
//
// Rules for everything bound here: plain contiguous arrays in a fixed order
// (indptr, indices, ...), serial, GIL released, no global state, nothing
// checked (the public Python functions validate once).
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_core(nb::module_ &m);
void bind_pairs(nb::module_ &m);
void bind_rank(nb::module_ &m);
void bind_cafa(nb::module_ &m);
void bind_data(nb::module_ &m);
void bind_stratify(nb::module_ &m);

NB_MODULE(_kernels, m) {
    m.doc() = "Compiled kernels of trueval; private, use the Python functions.";
    bind_core(m);
    bind_pairs(m);
    bind_rank(m);
    bind_cafa(m);
    bind_data(m);
    bind_stratify(m);
}

// Array types shared by every binding file.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace trueval {

namespace nb = nanobind;

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Inout = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A tuple whose parts the generated stub names.
template <typename... T>
using Tuple = nb::typed<nb::tuple, T...>;

// Hands a vector's memory to NumPy without a copy.
template <typename T>
Out<T> to_numpy(std::vector<T> &&values) {
    auto *owner = new std::vector<T>(std::move(values));
    nb::capsule deleter(owner, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return Out<T>(owner->data(), {owner->size()}, deleter);
}

}  // namespace trueval

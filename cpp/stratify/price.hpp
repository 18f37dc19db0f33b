// The innermost loops of the annealing search: what an item costs in each part.
//
// Compiled twice, for any processor and for AVX2; the search asks once which to use.
// Both give the same numbers: sums are of integers, or lane by lane in the same order
// and nothing is fused.
#pragma once
#include <cstdint>

namespace trueval {

// One row of `stride` numbers a class. Packed: a mark for each part, ..., slope, dip.
// Otherwise `lanes` marks, `lanes` slopes, `lanes` dips and, for groups, `lanes` bends.
// A mark is 2·d + 1 for single rows, d for groups (class_cost in problem.hpp).
template <typename Number>
struct PriceRows {
    const Number *rows;
    int lanes;   // a multiple of 8 (single rows) or of 4 (groups)
    int stride;  // in numbers
};

// Classes [begin, end) are the item's list. Fills price[0 .. lanes), the cost of adding
// the item to each part; in part `from` (none if negative) the item is counted already,
// and its price there is that of putting it back.
using UnitPrice = void (*)(const PriceRows<int32_t> &, const int32_t *begin, const int32_t *end,
                           int from, int32_t *price);
// The same for groups, with the members they bring.
using GroupPrice = void (*)(const PriceRows<double> &, const int32_t *begin, const int32_t *end,
                            const int32_t *counts, int from, double *price);

struct PriceFunctions {
    UnitPrice packed, full;
    GroupPrice group;
};

PriceFunctions price_functions_generic();
PriceFunctions price_functions_avx2();
// The better of the two that runs here.
PriceFunctions price_functions();

}  // namespace trueval

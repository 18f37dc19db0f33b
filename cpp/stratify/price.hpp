// The innermost loop of the annealing search: what an item costs in each part.
//
// Compiled twice, for any processor and for AVX2, from one text; the search asks
// once which to use. Both give the same bits: every lane adds in the same order
// and nothing is fused.
#pragma once
#include <cstdint>

namespace trueval {

struct PriceTables {
    const int32_t *indices;   // label lists, classes ascending
    const int32_t *counts;    // members for each entry; null: 1 each
    const float *deviations;  // (n_classes, lanes): count - target
    const float *weights;     // 1 / class size
    const float *factors;     // (lanes): 1 / (k * share)
    int lanes;                // 4, or a multiple of 8
};

// Entries [begin, end) are one item's list; it is read up to the first class that
// is not below `active`. Fills price[0 .. lanes), the cost of adding the item to
// each part, and returns the cost of taking it out of `from` (negative: a gain).
using PriceFunction = float (*)(const PriceTables &, int64_t begin, int64_t end, int64_t active,
                                int from, float *price);

// `unit`: counts is null.
PriceFunction price_function_generic(int lanes, bool unit);
PriceFunction price_function_avx2(int lanes, bool unit);
// The better of the two that runs here.
PriceFunction price_function(int lanes, bool unit);

}  // namespace trueval

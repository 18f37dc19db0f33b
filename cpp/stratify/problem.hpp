// What the annealing search works on, and what a class costs in a part.
//
// Items (rows, or groups of rows) sit in parts. Everything the search compares is
// an integer, so that a price is exact, a strict improvement is one, and every
// processor finds the same folds.
#pragma once
#include <cstdint>

namespace trueval {

// With d = n - whole, a class with n members in a part costs there
//
//     slope · |d| - dip · [d > 0] + bend · d²
//
// Its target lies between `whole` and `whole` + 1, at whole + dip / (2 · slope) for
// rLD: the three slopes are -slope below, slope - dip across the target, and slope
// above it. The bend is for groups: where a large one overfills its part, all others
// miss their targets alike, and what they miss should be shared evenly. This is the
// only place that knows the objective; the loops in price_loop.inc are differences of
// this function, several parts at a time.
template <typename Number>
Number class_cost(Number d, Number slope, Number dip, Number bend = 0) {
    return slope * (d < 0 ? -d : d) - (d > 0 ? dip : Number(0)) + bend * (d * d);
}

struct AnnealProblem {
    int64_t n_items, n_classes;
    int n_parts;
    const int64_t *indptr;        // label lists: classes ascending
    const int32_t *indices;
    const int32_t *counts;        // members an item brings to each listed class; null: 1 each
    const int32_t *list_of_item;  // several items may share one list
    const int32_t *item_size;     // rows in the item; null: 1 each
    bool by_part;                 // the next five: (n_classes, n_parts), or one a class
    const int64_t *slope, *dip;   // not negative; sum of slope + dip over an item's list < 2^27
    const int32_t *whole;         //   (single rows) or, times the counts, < 2^50 (groups)
    const double *bend;           // 0 for single rows
    const float *fraction;        // target - whole, for the greedy start
    const float *weight;          // (n_classes): 1 / class size, for the greedy start
    const float *factor;          // (n_parts): weight of a part in the greedy start
    const double *reach;          // (n_classes): price of a typical move, never rising
    const int32_t *base_counts;   // (n_classes, n_parts): members already placed
    const int64_t *base_sizes;    // rows already placed
    const int64_t *low, *high;    // wanted sizes: low <= size <= high
    const int32_t *noise;         // 1024 quantiles of the Gumbel distribution, in 1/65536
    const int64_t *edge_indptr;   // edges to similar items; null: none
    const int32_t *edge_to;       // the other item, or ~part of a row that is placed already
    const int64_t *edge_price;    // what it costs that the two are apart

    int64_t cell(int64_t c, int j) const { return by_part ? c * n_parts + j : c; }
    int64_t begin(int64_t item) const { return indptr[list_of_item[item]]; }
    int64_t end(int64_t item) const { return indptr[list_of_item[item] + 1]; }
    int32_t rows_in(int64_t item) const { return item_size ? item_size[item] : 1; }
};

}  // namespace trueval

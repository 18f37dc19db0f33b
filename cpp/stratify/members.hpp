// Class -> rows, the transpose of the label matrix, rows in a wanted order.
#pragma once
#include <cstdint>
#include <vector>

namespace trueval {

struct Members {
    std::vector<int64_t> start;  // class c: rows[start[c] .. start[c + 1])
    std::vector<int32_t> rows;

    // Rows of each class appear in the order of `order` (a permutation of all rows).
    Members(const int64_t *indptr, const int32_t *indices, const int64_t *order, int64_t n_rows,
            int64_t n_classes)
        : start(n_classes + 1, 0), rows(indptr[n_rows]) {
        for (int64_t p = 0; p < indptr[n_rows]; p++) start[indices[p] + 1]++;
        for (int64_t c = 0; c < n_classes; c++) start[c + 1] += start[c];
        std::vector<int64_t> next(start.begin(), start.end() - 1);
        // Invariant: rows order[0 .. i) are filed under all their classes.
        for (int64_t i = 0; i < n_rows; i++) {
            int64_t row = order[i];
            for (int64_t p = indptr[row]; p < indptr[row + 1]; p++) {
                rows[next[indices[p]]++] = static_cast<int32_t>(row);
            }
        }
    }
};

}  // namespace trueval

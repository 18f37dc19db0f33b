// Entries of a 0/1 matrix into canonical CSR: by row, columns rising, each once.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace trueval {

// Sorts the columns of each row and drops repeats, in place; the entries that are left.
inline int64_t canonical_rows(int64_t *indptr, int64_t n_rows, int32_t *indices) {
    int64_t written = 0, start = indptr[0];
    // Invariant: rows before `row` are final in indices[0, written).
    for (int64_t row = 0; row < n_rows; ++row) {
        int32_t *first = indices + start, *last = indices + indptr[row + 1];
        start = indptr[row + 1];
        const auto rises = [](int32_t a, int32_t b) { return a >= b; };
        if (std::adjacent_find(first, last, rises) != last) {
            std::sort(first, last);
            last = std::unique(first, last);
        }
        if (first != indices + written) std::copy(first, last, indices + written);
        written += last - first;
        indptr[row + 1] = written;
    }
    return written;
}

// Columns grouped by their rows, in order: a counting sort.
inline void group_rows(const int32_t *rows, const int32_t *columns, int64_t n_entries,
                       std::vector<int64_t> &indptr, std::vector<int32_t> &indices) {
    for (int64_t i = 0; i < n_entries; ++i) ++indptr[rows[i] + 1];
    for (size_t row = 1; row < indptr.size(); ++row) indptr[row] += indptr[row - 1];
    std::vector<int64_t> next(indptr.begin(), indptr.end() - 1);
    // Invariant: next[r] is where the next entry of row r goes.
    for (int64_t i = 0; i < n_entries; ++i) indices[next[rows[i]]++] = columns[i];
}

}  // namespace trueval

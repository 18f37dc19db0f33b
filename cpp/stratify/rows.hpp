// One-pass summaries of a label matrix: equal rows, counts by part.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../random.hpp"

namespace trueval {

// A hash of each row's label set, whatever the order of its labels.
inline uint64_t set_hash(const int64_t *indptr, const int32_t *indices, int64_t row,
                         const uint64_t *class_keys) {
    uint64_t hash = static_cast<uint64_t>(indptr[row + 1] - indptr[row]);
    for (int64_t p = indptr[row]; p < indptr[row + 1]; p++)
        hash += SplitMix64::mix(class_keys[indices[p]]);
    return hash;
}

// Rows reordered so that equal label sets stand together, in random order
// inside a set; `starts` gives the first position of each run. The random order
// goes by `row_keys`, the row's number if null.
inline void equal_rows(const int64_t *indptr, const int32_t *indices, int64_t n_rows,
                       const uint64_t *class_keys, const uint64_t *row_keys, uint64_t seed,
                       std::vector<int64_t> &order, std::vector<int64_t> &starts) {
    struct Entry {
        uint64_t hash, tie;
        int64_t row;
    };
    std::vector<Entry> entries(n_rows);
    for (int64_t row = 0; row < n_rows; row++) {
        const uint64_t key = row_keys ? row_keys[row] : static_cast<uint64_t>(row);
        entries[row] = {set_hash(indptr, indices, row, class_keys),
                        SplitMix64::mix(seed ^ SplitMix64::mix(key + 1)), row};
    }
    std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
        if (a.hash != b.hash) return a.hash < b.hash;
        return a.tie != b.tie ? a.tie < b.tie : a.row < b.row;
    });
    auto same = [&](int64_t a, int64_t b) {
        int64_t length = indptr[a + 1] - indptr[a];
        return length == indptr[b + 1] - indptr[b] &&
               std::equal(indices + indptr[a], indices + indptr[a] + length, indices + indptr[b]);
    };
    order.resize(n_rows);
    starts.clear();
    // Invariant: runs that begin before i are closed or open at starts.back();
    // a hash collision of different rows only opens one run too many.
    for (int64_t i = 0; i < n_rows; i++) {
        order[i] = entries[i].row;
        if (i == 0 || entries[i].hash != entries[i - 1].hash ||
            !same(order[starts.back()], order[i])) {
            starts.push_back(i);
        }
    }
    starts.push_back(n_rows);
}

// counts[c * n_parts + j]: members of class c in part j; rows with a negative
// part are skipped. Several rows may share one list; null: row i has list i.
inline void part_counts(const int64_t *indptr, const int32_t *indices, int64_t n_rows,
                        const int32_t *folds, const int32_t *list_of_row, int n_parts,
                        int64_t *counts) {
    for (int64_t row = 0; row < n_rows; row++) {
        if (folds[row] < 0) continue;
        const int64_t list = list_of_row ? list_of_row[row] : row;
        for (int64_t p = indptr[list]; p < indptr[list + 1]; p++)
            counts[static_cast<int64_t>(indices[p]) * n_parts + folds[row]]++;
    }
}

// sums[row] = sum of count * value over the row's classes; null counts: 1 each.
inline void row_sums(const int64_t *indptr, const int32_t *indices, const int32_t *counts,
                     int64_t n_rows, const double *value_of_class, double *sums) {
    for (int64_t row = 0; row < n_rows; row++) {
        double sum = 0;
        for (int64_t p = indptr[row]; p < indptr[row + 1]; p++)
            sum += (counts ? counts[p] : 1) * value_of_class[indices[p]];
        sums[row] = sum;
    }
}

// Rows with the membership in the listed classes (ascending) turned round.
inline void flip_classes(const int64_t *indptr, const int32_t *indices, int64_t n_rows,
                         const std::vector<int32_t> &flipped, std::vector<int64_t> &new_indptr,
                         std::vector<int32_t> &new_indices) {
    new_indptr.assign(1, 0);
    new_indices.clear();
    for (int64_t row = 0; row < n_rows; row++) {
        size_t f = 0;
        // Invariant: flipped classes before f are settled, and so are the row's
        // classes before p; what was written so far ascends.
        for (int64_t p = indptr[row]; p < indptr[row + 1]; p++) {
            for (; f < flipped.size() && flipped[f] < indices[p]; f++)
                new_indices.push_back(flipped[f]);
            if (f < flipped.size() && flipped[f] == indices[p]) {
                f++;
            } else {
                new_indices.push_back(indices[p]);
            }
        }
        new_indices.insert(new_indices.end(), flipped.begin() + f, flipped.end());
        new_indptr.push_back(static_cast<int64_t>(new_indices.size()));
    }
}

}  // namespace trueval

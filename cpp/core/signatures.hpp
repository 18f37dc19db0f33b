// Sizes and fingerprints of the classes of a label matrix, in one pass.
#pragma once
#include <cstdint>

#include "../random.hpp"

namespace trueval {

// Class sizes, and for each class a fingerprint of its set of rows. The
// fingerprint does not depend on where the class stands, so an order made from
// it survives a permutation of the columns.
inline void class_signatures(const int64_t *indptr, const int32_t *indices, int64_t n_rows,
                             int64_t *sizes, uint64_t *signatures) {
    for (int64_t row = 0; row < n_rows; row++) {
        uint64_t mark = SplitMix64::mix(static_cast<uint64_t>(row) + 0x9E3779B97F4A7C15ull);
        for (int64_t p = indptr[row]; p < indptr[row + 1]; p++) {
            sizes[indices[p]]++;
            signatures[indices[p]] += mark;
        }
    }
}

}  // namespace trueval

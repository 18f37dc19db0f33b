// A 64-bit hash of text that is the same on every machine and in every version.
#pragma once
#include <cstdint>

#include "../random.hpp"

namespace trueval {

// Words of eight bytes, the first byte lowest, each mixed into what came before; the
// length comes first, so that trailing zeros count.
inline uint64_t text_hash(const uint8_t *first, const uint8_t *last) {
    uint64_t hash = SplitMix64::mix(static_cast<uint64_t>(last - first) + 0x9E3779B97F4A7C15ull);
    // Invariant: the bytes before `first` are in `hash`.
    while (first < last) {
        uint64_t word = 0;
        for (int shift = 0; shift < 64 && first < last; shift += 8)
            word |= static_cast<uint64_t>(*first++) << shift;
        hash = SplitMix64::mix((hash ^ word) + 0x9E3779B97F4A7C15ull);
    }
    return hash;
}

}  // namespace trueval

// The two generators the kernels draw from.
#pragma once
#include <cstdint>

namespace trueval {

// SplitMix64: one 64-bit word of state, equidistributed, the same everywhere.
struct SplitMix64 {
    uint64_t state;

    static uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    uint64_t next() { return mix(state += 0x9E3779B97F4A7C15ull); }
    // Uniform in [0, n), n < 2^32, by multiply-shift (bias below 2^-32 · n).
    uint32_t below(uint32_t n) {
        return static_cast<uint32_t>(((next() >> 32) * static_cast<uint64_t>(n)) >> 32);
    }
    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
};

// MT19937 over NumPy's RandomState memory (key[624], pos), so that a kernel can
// draw exactly what numpy.random.RandomState would have drawn and hand the
// state back.
struct Mt19937 {
    uint32_t *key;
    int pos;

    uint32_t next() {
        if (pos == 624) refill();
        uint32_t y = key[pos++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        return y ^ (y >> 18);
    }
    // RandomState.randint(0, n) and .choice(n): mask, then reject. 1 < n < 2^32.
    uint32_t below(uint32_t n) {
        uint32_t last = n - 1, mask = last;
        for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
        uint32_t value;
        while ((value = next() & mask) > last) {
        }
        return value;
    }

private:
    static uint32_t twist(uint32_t upper, uint32_t lower) {
        uint32_t y = (upper & 0x80000000u) | (lower & 0x7fffffffu);
        return (y >> 1) ^ ((y & 1u) ? 0x9908b0dfu : 0u);
    }
    void refill() {
        for (int i = 0; i < 624; i++) {
            key[i] = key[(i + 397) % 624] ^ twist(key[i], key[(i + 1) % 624]);
        }
        pos = 0;
    }
};

}  // namespace trueval

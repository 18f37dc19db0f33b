// Sums over units of the first pairs of a list, at some lengths of it.
#pragma once
#include <cstdint>
#include <vector>

namespace trueval {

// Eight sums one after the other, each `n_ends` long: hits, calls, and the sums over units of
// hits², hits × calls, calls², hits × positives, calls × positives; then squared weights of pairs.
// A pair adds to a sum of squares what its unit has so far. `weight` is of pairs, null for 1.
template <typename Unit>
std::vector<double> unit_moments(const Unit *unit, const uint8_t *hit, const double *weight,
                                 const double *positives, int64_t n_units, const int64_t *ends,
                                 int64_t n_ends) {
    struct Counts {
        double calls = 0, hits = 0;
    };
    std::vector<Counts> of_unit(n_units);
    std::vector<double> out(8 * n_ends);
    double sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int64_t i = 0;
    for (int64_t at = 0; at < n_ends; at++) {
        for (; i < ends[at]; i++) {
            Counts &own = of_unit[unit[i]];
            const double w = weight ? weight[i] : 1.0;
            const double is_hit = hit[i] ? w : 0.0;
            const double n_positives = positives[unit[i]];
            sums[0] += is_hit;
            sums[1] += w;
            sums[2] += is_hit * (2 * own.hits + w);
            sums[3] += w * own.hits + is_hit * (own.calls + w);
            sums[4] += w * (2 * own.calls + w);
            sums[5] += is_hit * n_positives;
            sums[6] += w * n_positives;
            sums[7] += w * w;
            own.calls += w;
            own.hits += is_hit;
        }
        for (int k = 0; k < 8; k++) out[k * n_ends + at] = sums[k];
    }
    return out;
}

}  // namespace trueval

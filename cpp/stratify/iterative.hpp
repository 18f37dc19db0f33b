// Iterative stratification (Sechidis, Tsoumakas and Vlahavas 2011) on sparse labels.
//
// Draws random numbers in the order in which the PyPI package
// iterative-stratification 0.1.9 draws them, and compares the same
// floating-point demands, so that folds are identical for the same RandomState.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "../random.hpp"
#include "members.hpp"
#include "sorted_keys.hpp"

namespace trueval {

template <typename Poll>
void iterative_stratification(const int64_t *indptr, const int32_t *indices,
                              const int64_t *order, int64_t n_rows, int64_t n_classes,
                              const double *shares, int n_parts, Mt19937 &random,
                              int32_t *folds, Poll &poll) {
    Members members(indptr, indices, order, n_rows, n_classes);
    std::vector<int64_t> remaining(n_classes);
    std::vector<double> demand(static_cast<size_t>(n_classes) * n_parts);
    std::vector<double> room(n_parts);
    for (int64_t c = 0; c < n_classes; c++) {
        remaining[c] = members.start[c + 1] - members.start[c];
        for (int j = 0; j < n_parts; j++) {
            demand[c * n_parts + j] = shares[j] * static_cast<double>(remaining[c]);
        }
    }
    for (int j = 0; j < n_parts; j++) room[j] = shares[j] * static_cast<double>(n_rows);
    std::fill(folds, folds + n_rows, -1);

    std::vector<int> best(n_parts);
    // Part with the largest wish, then the largest room, then a random one.
    auto choose = [&](const double *wish) {
        int n_best = 0;
        double top = wish[0];
        for (int j = 1; j < n_parts; j++) top = wish[j] > top ? wish[j] : top;
        for (int j = 0; j < n_parts; j++)
            if (wish[j] == top) best[n_best++] = j;
        if (n_best > 1 && wish != room.data()) {
            double most = room[best[0]];
            for (int b = 1; b < n_best; b++) most = room[best[b]] > most ? room[best[b]] : most;
            int kept = 0;
            for (int b = 0; b < n_best; b++)
                if (room[best[b]] == most) best[kept++] = best[b];
            n_best = kept;
        }
        return n_best > 1 ? best[random.below(static_cast<uint32_t>(n_best))] : best[0];
    };

    // The rarest class is looked up among the "near" ones, those with at most
    // `horizon` remaining rows, kept sorted by (remaining, class). Large classes
    // are only counted down, in O(1), until they come near. Invariant: `near`
    // holds exactly the classes with 0 < remaining <= horizon.
    SortedKeys<uint64_t> near;
    int64_t horizon = 0;
    auto key = [&](int64_t c) {
        return (static_cast<uint64_t>(remaining[c]) << 32) | static_cast<uint64_t>(c);
    };
    auto widen = [&]() {
        while (near.empty()) {
            int64_t least = -1;
            for (int64_t c = 0; c < n_classes; c++)
                if (remaining[c] > 0 && (least < 0 || remaining[c] < least)) least = remaining[c];
            if (least < 0) return;
            horizon = std::max(2 * horizon, least + least / 2);
            for (int64_t c = 0; c < n_classes; c++)
                if (remaining[c] > 0 && remaining[c] <= horizon) near.insert(key(c));
        }
    };

    for (widen(); !near.empty(); widen()) {
        uint64_t fewest = near.select(0) >> 32;
        size_t ties = near.rank((fewest + 1) << 32);
        size_t which = ties > 1 ? random.below(static_cast<uint32_t>(ties)) : 0;
        int64_t rarest = static_cast<int64_t>(near.select(which) & 0xffffffffu);
        for (int64_t m = members.start[rarest]; m < members.start[rarest + 1]; m++) {
            if (m % 4096 == 0) poll();
            int32_t row = members.rows[m];
            if (folds[row] >= 0) continue;
            int part = choose(&demand[rarest * n_parts]);
            folds[row] = part;
            room[part] -= 1;
            for (int64_t p = indptr[row]; p < indptr[row + 1]; p++) {
                int64_t c = indices[p];
                demand[c * n_parts + part] -= 1;
                if (remaining[c] <= horizon) near.erase(key(c));
                remaining[c]--;
                if (remaining[c] > 0 && remaining[c] <= horizon) near.insert(key(c));
            }
        }
    }
    // Only rows without labels are left; they even out the sizes.
    for (int64_t i = 0; i < n_rows; i++) {
        int64_t row = order[i];
        if (folds[row] >= 0) continue;
        int part = choose(room.data());
        folds[row] = part;
        room[part] -= 1;
    }
}

}  // namespace trueval

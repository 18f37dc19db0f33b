// Scores of terms carried up to their ancestors, row by row.
//
// Terms are numbered so that every child comes before its parents. A row costs the terms it
// reaches and the edges above them, never all terms.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trueval {

struct CarriedScores {
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;  // ascending in each row
    std::vector<double> scores;
};

// Each entry of a row occurs once and is positive. fill: a term with a score of its own keeps
// it, and only terms without one take the largest score of their children; else every term
// takes the largest of its own and its children's.
inline CarriedScores carry_scores(const int64_t *indptr, size_t n_rows, const int32_t *indices,
                                  const double *scores, const int64_t *parent_start,
                                  const int32_t *parents, size_t n_terms, bool fill) {
    enum : uint8_t { absent, reached, scored };
    CarriedScores out;
    out.indptr.reserve(n_rows + 1);
    out.indptr.push_back(0);
    std::vector<uint8_t> state(n_terms, absent);
    std::vector<double> value(n_terms, 0.0);
    std::vector<int32_t> touched;
    // Invariant: between rows every state is absent and every value 0.
    for (size_t row = 0; row < n_rows; ++row) {
        touched.clear();
        for (int64_t k = indptr[row]; k < indptr[row + 1]; ++k) {
            const auto term = static_cast<size_t>(indices[k]);
            state[term] = scored;
            value[term] = scores[k];
            touched.push_back(indices[k]);
        }
        // Invariant: the parents of touched[0 … next) are touched.
        for (size_t next = 0; next < touched.size(); ++next) {
            const auto term = static_cast<size_t>(touched[next]);
            for (int64_t k = parent_start[term]; k < parent_start[term + 1]; ++k) {
                auto &seen = state[static_cast<size_t>(parents[k])];
                if (seen != absent) continue;
                seen = reached;
                touched.push_back(parents[k]);
            }
        }
        std::sort(touched.begin(), touched.end());
        // Invariant: the value of every term up to the current one is final, as all its
        // children come before it.
        for (const int32_t number : touched) {
            const auto term = static_cast<size_t>(number);
            for (int64_t k = parent_start[term]; k < parent_start[term + 1]; ++k) {
                const auto parent = static_cast<size_t>(parents[k]);
                if (fill && state[parent] == scored) continue;
                value[parent] = std::max(value[parent], value[term]);
            }
        }
        for (const int32_t number : touched) {
            const auto term = static_cast<size_t>(number);
            out.indices.push_back(number);
            out.scores.push_back(value[term]);
            state[term] = absent;
            value[term] = 0.0;
        }
        out.indptr.push_back(static_cast<int64_t>(out.indices.size()));
    }
    return out;
}

}  // namespace trueval

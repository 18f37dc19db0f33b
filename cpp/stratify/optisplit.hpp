// OptiSplit (Tiittanen, Holm and Törönen 2022, Algorithm 1) with counts kept
// incrementally: a balancing step costs the members of its class and the labels
// of the rows it moves, never the whole matrix.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "members.hpp"
#include "sorted_keys.hpp"

namespace trueval {

enum class Measure { rld, dcp, ld };

class OptiSplit {
public:
    // `order`: rows with few labels first; moving them disturbs other classes little.
    OptiSplit(const int64_t *indptr, const int32_t *indices, const int64_t *order, int64_t n_rows,
              int64_t n_classes, const double *shares, int n_parts, Measure measure,
              int32_t *folds)
        : indptr_(indptr),
          indices_(indices),
          n_rows_(n_rows),
          n_classes_(n_classes),
          shares_(shares),
          k_(n_parts),
          measure_(measure),
          folds_(folds),
          members_(indptr, indices, order, n_rows, n_classes),
          counts_(static_cast<size_t>(n_classes) * n_parts, 0),
          sizes_(n_parts, 0),
          score_(n_classes, 0.0),
          touched_mark_(n_classes, 0) {
        for (int64_t row = 0; row < n_rows; row++) {
            sizes_[folds[row]]++;
            for (int64_t p = indptr[row]; p < indptr[row + 1]; p++) count(indices[p], folds[row])++;
        }
        for (int64_t c = 0; c < n_classes; c++) {
            if (class_size(c) == 0) continue;
            score_[c] = score(c);
            worst_.insert({-score_[c], c});
        }
    }

    // One pass of Algorithm 1's inner loop; returns how many balancings were kept.
    int64_t epoch() {
        int64_t kept = 0;
        size_t offset = 0;
        // Invariant: the `offset` worst classes were tried without success since
        // they last entered the list; counts, sizes and scores agree with folds.
        for (size_t i = 0; i < worst_.size() && offset < worst_.size(); i++) {
            if (balance(worst_.select(offset).second)) {
                kept++;
            } else {
                offset++;
            }
        }
        return kept;
    }

    // One balancing of Algorithm 1 without its test: gives each part its share of class A and
    // returns the rows moved with the parts they left. Scores are left as they were, so this
    // and put() are for callers that keep scores of their own.
    std::vector<std::pair<int32_t, int>> rebalance(int64_t A) {
        std::vector<int64_t> touched;
        return rebalance(A, touched);
    }
    void put(int32_t row, int part) {
        std::vector<int64_t> touched;
        move(row, part, touched);
    }

private:
    static constexpr int64_t kLooks = 4;
    const int64_t *indptr_;
    const int32_t *indices_;
    int64_t n_rows_, n_classes_;
    const double *shares_;
    int k_;
    Measure measure_;
    int32_t *folds_;
    Members members_;
    std::vector<int64_t> counts_;  // (n_classes, n_parts)
    std::vector<int64_t> sizes_;
    std::vector<double> score_;
    SortedKeys<std::pair<double, int64_t>> worst_;  // (-score, class)
    std::vector<int64_t> touched_mark_;
    int64_t mark_ = 0;

    int64_t &count(int64_t c, int j) { return counts_[c * k_ + j]; }
    int64_t class_size(int64_t c) const { return members_.start[c + 1] - members_.start[c]; }

    // Scores use the wanted sizes, so a move changes only the classes of its row.
    double score(int64_t c) {
        const double D = static_cast<double>(class_size(c)), n = static_cast<double>(n_rows_);
        double result = 0;
        for (int j = 0; j < k_; j++) {
            const double x = static_cast<double>(count(c, j)), w = shares_[j];
            switch (measure_) {
                case Measure::rld: result += std::fabs(x / (D * w) - 1) / k_; break;
                case Measure::dcp: result = std::max(result, x / D - w); break;
                case Measure::ld:
                    result += std::fabs(x / std::max(n * w - x, 0.5) - D / std::max(n - D, 0.5)) / k_;
                    break;
            }
        }
        return result;
    }

    void move(int32_t row, int to, std::vector<int64_t> &touched) {
        const int from = folds_[row];
        folds_[row] = to;
        sizes_[from]--;
        sizes_[to]++;
        for (int64_t p = indptr_[row]; p < indptr_[row + 1]; p++) {
            const int64_t c = indices_[p];
            count(c, from)--;
            count(c, to)++;
            if (touched_mark_[c] != mark_) {
                touched_mark_[c] = mark_;
                touched.push_back(c);
            }
        }
    }

    // Change of sum |count - target| / target over the row's classes in part j
    // when the row joins (step 1) or leaves (step -1) it.
    double step_price(int32_t row, int j, double step) {
        double price = 0;
        for (int64_t p = indptr_[row]; p < indptr_[row + 1]; p++) {
            const double target = static_cast<double>(class_size(indices_[p])) * shares_[j];
            const double x = static_cast<double>(count(indices_[p], j)) - target;
            price += (std::fabs(x + step) - std::fabs(x)) / target;
        }
        return price;
    }

    // Rows of class A that leave parts with too many (missing < 0), as (row,
    // part), and `missing` raised accordingly. Of a few times as many rows as
    // needed, those with the fewest labels, the ones that leave most gladly.
    std::vector<std::pair<int32_t, int>> choose_rows(int64_t A, std::vector<int64_t> &missing) {
        std::vector<int64_t> looks(k_);
        int64_t to_look = 0;
        for (int j = 0; j < k_; j++) {
            looks[j] = missing[j] < 0 ? std::min(count(A, j), kLooks * -missing[j] + 8) : 0;
            to_look += looks[j];
        }
        std::vector<std::pair<double, int32_t>> candidates;
        for (int64_t m = members_.start[A]; to_look > 0; m++) {
            const int32_t row = members_.rows[m];
            if (looks[folds_[row]] == 0) continue;
            looks[folds_[row]]--;
            to_look--;
            candidates.emplace_back(step_price(row, folds_[row], -1), row);
        }
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        std::vector<std::pair<int32_t, int>> chosen;
        for (const auto &[price, row] : candidates) {
            if (missing[folds_[row]] >= 0) continue;
            missing[folds_[row]]++;
            chosen.emplace_back(row, folds_[row]);
        }
        return chosen;
    }

    // Gives each part its share of class A. Returns the rows moved, with the parts they left.
    std::vector<std::pair<int32_t, int>> rebalance(int64_t A, std::vector<int64_t> &touched) {
        const int64_t D = class_size(A);
        std::vector<int64_t> wanted(k_);
        int64_t rest = D;
        for (int j = 0; j < k_; j++) {
            wanted[j] = static_cast<int64_t>(std::floor(static_cast<double>(D) * shares_[j] + 1e-9));
            rest -= wanted[j];
        }
        // What cannot be divided goes to the parts that end up smallest.
        std::vector<int> parts(k_);
        std::iota(parts.begin(), parts.end(), 0);
        auto fill = [&](int j) {
            return static_cast<double>(sizes_[j] - count(A, j) + wanted[j]) -
                   static_cast<double>(n_rows_) * shares_[j];
        };
        std::vector<double> filled(k_);
        for (int j = 0; j < k_; j++) filled[j] = fill(j);
        std::stable_sort(parts.begin(), parts.end(),
                         [&](int a, int b) { return filled[a] < filled[b]; });
        for (int64_t r = 0; r < rest; r++) wanted[parts[r % k_]]++;

        std::vector<int64_t> missing(k_);
        for (int j = 0; j < k_; j++) missing[j] = wanted[j] - count(A, j);
        std::vector<std::pair<int32_t, int>> moved = choose_rows(A, missing);
        mark_++;
        for (const auto &[row, from] : moved) {
            int to = -1;
            double best = 0;
            for (int j = 0; j < k_; j++) {
                if (missing[j] <= 0) continue;
                const double price = step_price(row, j, 1);
                if (to < 0 || price < best) to = j, best = price;
            }
            missing[to]--;
            move(row, to, touched);
        }
        return moved;
    }

    // The same; keeps the change only if the sum of all scores falls.
    bool balance(int64_t A) {
        std::vector<int64_t> touched;
        const std::vector<std::pair<int32_t, int>> moved = rebalance(A, touched);
        if (moved.empty()) return false;
        double change = 0;
        std::vector<double> fresh(touched.size());
        for (size_t t = 0; t < touched.size(); t++) {
            fresh[t] = score(touched[t]);
            change += fresh[t] - score_[touched[t]];
        }
        if (!(change < -1e-12)) {
            for (const auto &[row, from] : moved) move(row, from, touched);
            return false;
        }
        for (size_t t = 0; t < touched.size(); t++) {
            const int64_t c = touched[t];
            if (fresh[t] == score_[c]) continue;
            worst_.erase({-score_[c], c});
            score_[c] = fresh[t];
            worst_.insert({-score_[c], c});
        }
        return true;
    }
};

}  // namespace trueval

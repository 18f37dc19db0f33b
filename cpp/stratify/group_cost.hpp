// The least cost of one class when its positives come in whole groups.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace trueval {

// Free groups of every class (CSC: positives of the class and rows of the group), what groups that
// have a part already bring of each class to each part, and the rows that still fit into a part.
struct GroupCosts {
    int64_t n_classes;
    const int64_t *indptr;
    const int64_t *positives;
    const int64_t *rows;
    const int64_t *brought;  // n_classes by k
    const int64_t *room;
    const double *shares;
    int k;
};

// Dynamic programming over parts. A part takes any sum of the class's free groups that fit into it;
// the largest group is taken exactly once, the others may be taken by several parts. The cost of c
// positives in a part of share w is |c - D w| / (k w D). Infinity where no division fits.
class GroupCost {
public:
    explicit GroupCost(const GroupCosts &problem) : p_(problem) {}

    double of_class(int64_t c) {
        const int64_t *brought = p_.brought + c * p_.k;
        first_ = p_.indptr[c], last_ = p_.indptr[c + 1];
        rest_ = 0, largest_ = first_;
        for (int64_t e = first_; e < last_; e++) {
            rest_ += p_.positives[e];
            if (p_.positives[e] > p_.positives[largest_]) largest_ = e;
        }
        int64_t size = rest_;
        for (int j = 0; j < p_.k; j++) size += brought[j];
        without_.assign(rest_ + 1, kNever), with_.assign(rest_ + 1, kNever);
        (rest_ > 0 ? without_ : with_)[0] = 0.0;
        // Invariant: without_[s] and with_[s] are the least costs of the parts so far when they
        // have s positives of free groups, without and with the largest of these.
        for (int j = 0; j < p_.k; j++) {
            if (j == 0 || p_.room[j] != p_.room[j - 1]) find_sums(p_.room[j]);
            add_part(j, brought[j], static_cast<double>(size));
        }
        return with_[rest_];
    }

private:
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    GroupCosts p_;
    int64_t first_ = 0, last_ = 0, largest_ = 0, rest_ = 0;
    std::vector<double> without_, with_, next_without_, next_with_;
    std::vector<uint8_t> reachable_;
    std::vector<int64_t> sums_;

    // Sums of free groups, the largest apart, that fit: a positive is a row.
    void find_sums(int64_t room) {
        sums_.clear();
        if (room < 0) return;  // over-full already: not even an empty sum
        const int64_t most = std::min(rest_, room);
        reachable_.assign(most + 1, 0);
        reachable_[0] = 1;
        for (int64_t e = first_; e < last_; e++) {
            if (e == largest_ || p_.rows[e] > room) continue;
            for (int64_t s = most; s >= p_.positives[e]; s--)
                reachable_[s] |= reachable_[s - p_.positives[e]];
        }
        for (int64_t s = 0; s <= most; s++)
            if (reachable_[s]) sums_.push_back(s);
    }

    void add_part(int j, int64_t brought, double size) {
        const double wanted = size * p_.shares[j], price = 1 / (p_.k * wanted);
        const auto cost = [&](int64_t sum) {
            return std::abs(static_cast<double>(brought + sum) - wanted) * price;
        };
        next_without_.assign(rest_ + 1, kNever), next_with_.assign(rest_ + 1, kNever);
        for (const int64_t sum : sums_) {
            const double value = cost(sum);
            for (int64_t s = sum; s <= rest_; s++) {
                next_without_[s] = std::min(next_without_[s], without_[s - sum] + value);
                next_with_[s] = std::min(next_with_[s], with_[s - sum] + value);
            }
        }
        if (rest_ > 0 && p_.rows[largest_] <= p_.room[j]) {
            for (const int64_t others : sums_) {
                const int64_t sum = others + p_.positives[largest_];
                if (sum > std::min(rest_, p_.room[j])) break;
                const double value = cost(sum);
                for (int64_t s = sum; s <= rest_; s++)
                    next_with_[s] = std::min(next_with_[s], without_[s - sum] + value);
            }
        }
        without_.swap(next_without_), with_.swap(next_with_);
    }
};

}  // namespace trueval

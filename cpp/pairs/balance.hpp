// Parts of objects, by exchanging items (objects or clusters of objects) between parts: descent to
// like numbers of pairs and positives, or annealing to many pairs inside the parts.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "../random.hpp"

namespace trueval {

struct BalanceProblem {
    int64_t n_items, n_rows, arity, n_kinds;
    int n_parts;
    const int64_t *item_start;  // rows that touch each item
    const int32_t *item_rows;
    const int32_t *row_items;   // rows x arity
    const double *row_weight;   // weight of each row
    const uint8_t *row_positive;
    const int64_t *kind_start;  // items come kind after kind
    const double *size, *degree, *positive;  // loads of each item
    const double *shares;       // of each part, adding up to 1
    bool stratify;              // also balance the rows inside each part, by class
    bool keep;                  // instead, many rows inside each part, of both classes
    bool moves;                 // items may move alone, for clusters of unequal size
};

class Balance {
public:
    Balance(const BalanceProblem &problem, int32_t *part)
        : p_(problem), part_(part), kind_(problem.n_items),
          load_(problem.n_kinds * problem.n_parts * 3, 0.0), total_(problem.n_kinds * 3, 0.0),
          inside_(problem.n_parts * 2, 0.0), change_(problem.n_parts * 2, 0.0) {
        for (int64_t k = 0; k < p_.n_kinds; k++)
            for (int64_t i = p_.kind_start[k]; i < p_.kind_start[k + 1]; i++) {
                kind_[i] = static_cast<int32_t>(k);
                for (int f = 0; f < 3; f++) {
                    load(k, part_[i], f) += item_load(i, f);
                    total_[k * 3 + f] += item_load(i, f);
                }
            }
        for (int64_t r = 0; r < p_.n_rows; r++) {
            classes_[p_.row_positive[r]] += p_.row_weight[r];
            int32_t where = home(r);
            if (where >= 0) inside_[where * 2 + p_.row_positive[r]] += p_.row_weight[r];
        }
    }

    double cost() const {
        double sum = 0;
        for (int64_t k = 0; k < p_.n_kinds; k++)
            for (int part = 0; part < p_.n_parts; part++)
                for (int f = 0; f < 3; f++) sum += load_cost(k, part, f, 0);
        if (inner())
            for (int part = 0; part < p_.n_parts; part++) sum += part_cost(part, 0, 0);
        return sum;
    }

    // What the cost falls, about, by one more row inside a part.
    double row_price() const {
        double rows = 1;
        for (double in_part : inside_) rows += in_part;
        return 1 / rows;
    }

    // One visit to as many items as there are. An item changes places with one of the part of
    // another member of one of its rows, at temperature T with probability exp(gain / T).
    // Invariant: as in sweep, but for costs, which may rise.
    int64_t anneal(SplitMix64 &random, double temperature) {
        int64_t accepted = 0;
        for (int64_t step = 0; step < p_.n_items; step++) {
            int64_t x = random.below(static_cast<uint32_t>(p_.n_items));
            int64_t rows = p_.item_start[x + 1] - p_.item_start[x];
            if (!rows) continue;
            int64_t row = p_.item_rows[p_.item_start[x] + random.below(static_cast<uint32_t>(rows))];
            int32_t to = part_[p_.row_items[row * p_.arity +
                                            random.below(static_cast<uint32_t>(p_.arity))]];
            if (to == part_[x]) continue;
            double limit = temperature * std::log(random.uniform() + 1e-300);
            int64_t first = p_.kind_start[kind_[x]], n = p_.kind_start[kind_[x] + 1] - first;
            for (int t = 0; t < 4 * p_.n_parts; t++) {
                int64_t y = first + random.below(static_cast<uint32_t>(n));
                if (part_[y] != to) continue;
                accepted += attempt(x, p_.moves && random.below(2) ? -1 : y, to, limit);
                break;
            }
        }
        return accepted;
    }

    // Invariant: load_ and inside_ are those of part_, and no accepted change
    // raised the cost.
    int64_t sweep(SplitMix64 &random, int tries) {
        int64_t accepted = 0;
        for (int64_t step = 0; step < p_.n_items; step++) {
            int64_t x = random.below(static_cast<uint32_t>(p_.n_items));
            int64_t first = p_.kind_start[kind_[x]], n = p_.kind_start[kind_[x] + 1] - first;
            for (int t = 0; t < tries; t++) {
                int64_t y = first + random.below(static_cast<uint32_t>(n));
                if (part_[y] != part_[x]) accepted += attempt(x, y, part_[y], 1e-9);
            }
            if (p_.moves) {
                auto to = static_cast<int32_t>(random.below(static_cast<uint32_t>(p_.n_parts)));
                if (to != part_[x]) accepted += attempt(x, -1, to, 1e-9);
            }
        }
        return accepted;
    }

private:
    const BalanceProblem &p_;
    int32_t *part_;
    std::vector<int32_t> kind_;
    std::vector<double> load_, total_, inside_, change_;
    double classes_[2] = {0, 0};

    double &load(int64_t kind, int part, int f) {
        return load_[(kind * p_.n_parts + part) * 3 + f];
    }
    double item_load(int64_t item, int f) const {
        return (f == 0 ? p_.size : f == 1 ? p_.degree : p_.positive)[item];
    }
    double load_cost(int64_t kind, int part, int f, double more) const {
        double wanted = total_[kind * 3 + f] * p_.shares[part];
        if (!(wanted > 0)) return 0;
        double off = (load_[(kind * p_.n_parts + part) * 3 + f] + more) / wanted - 1;
        return (p_.keep ? kSizes : 1) * off * off;
    }
    // What the sizes of parts and the frequencies of classes count for where rows are kept.
    static constexpr double kSizes = 20, kRates = 2;

    bool inner() const { return p_.stratify || p_.keep; }
    // Rows of one class inside a part, against what a random partition would have;
    // a part without any costs more than all imbalance.
    double inside_cost(int part, int c, double more) const {
        double wanted = classes_[c] * p_.shares[part] * (p_.arity > 1 ? p_.shares[part] : 1);
        if (!(wanted > 0)) return 0;
        double has = inside_[part * 2 + c] + more;
        double off = (has - wanted) / (wanted + 1);
        return off * off + (has < 0.5e-9 ? 1000.0 : 0.0);
    }
    // Rows inside a part. To keep many, minus the logarithms of those of each class, so that a row
    // counts most where its class has fewest, and the square of the difference of the two, which is
    // 0 where the classes are as frequent as in all rows.
    double part_cost(int part, double more_0, double more_1) const {
        if (!p_.keep) return inside_cost(part, 0, more_0) + inside_cost(part, 1, more_1);
        const double more[2] = {more_0, more_1};
        double kept = 0, apart = 0;
        for (int c = 0; c < 2; c++) {
            if (!(classes_[c] > 0)) return -p_.shares[part] * kept_log(part, 1 - c, more[1 - c]);
            double log = kept_log(part, c, more[c]);
            kept += log / 2, apart += c ? log : -log;
        }
        return p_.shares[part] * (kRates * apart * apart - kept);
    }
    double kept_log(int part, int c, double more) const {
        double all = classes_[c] * p_.shares[part];
        return std::log((inside_[part * 2 + c] + more + 0.5) / (all + 0.5));
    }
    int32_t home(int64_t row) const {
        const int32_t *items = p_.row_items + row * p_.arity;
        int32_t where = part_[items[0]];
        for (int64_t c = 1; c < p_.arity; c++)
            if (part_[items[c]] != where) return -1;
        return where;
    }
    bool has(int64_t row, int64_t item) const {
        const int32_t *items = p_.row_items + row * p_.arity;
        for (int64_t c = 0; c < p_.arity; c++)
            if (items[c] == item) return true;
        return false;
    }
    void tally(int64_t x, int64_t y, double sign) {
        for (int64_t t = p_.item_start[x]; t < p_.item_start[x + 1]; t++)
            tally_row(p_.item_rows[t], sign);
        if (y < 0) return;
        for (int64_t t = p_.item_start[y]; t < p_.item_start[y + 1]; t++)
            if (!has(p_.item_rows[t], x)) tally_row(p_.item_rows[t], sign);
    }
    void tally_row(int64_t row, double sign) {
        int32_t where = home(row);
        if (where >= 0) change_[where * 2 + p_.row_positive[row]] += sign * p_.row_weight[row];
    }
    void exchange(int64_t x, int64_t y, int32_t to) {
        if (y >= 0) part_[y] = part_[x];
        part_[x] = to;
    }

    // Makes a change that gains more than `limit`.
    bool attempt(int64_t x, int64_t y, int32_t to, double limit) {
        int32_t from = part_[x];
        int64_t k = kind_[x];
        double gain = 0, shift[3];
        for (int f = 0; f < 3; f++) {
            shift[f] = item_load(x, f) - (y >= 0 ? item_load(y, f) : 0.0);
            gain += load_cost(k, from, f, 0) - load_cost(k, from, f, -shift[f]);
            gain += load_cost(k, to, f, 0) - load_cost(k, to, f, shift[f]);
        }
        if (inner()) {
            for (double &c : change_) c = 0;
            tally(x, y, -1);
            exchange(x, y, to);
            tally(x, y, +1);
            for (int part : {static_cast<int>(from), static_cast<int>(to)})
                gain += part_cost(part, 0, 0) -
                        part_cost(part, change_[part * 2], change_[part * 2 + 1]);
            exchange(x, y, from);  // back again
        }
        if (gain <= limit) return false;
        for (int f = 0; f < 3; f++) {
            load(k, from, f) -= shift[f];
            load(k, to, f) += shift[f];
        }
        exchange(x, y, to);
        if (inner())
            for (int part : {static_cast<int>(from), static_cast<int>(to)})
                for (int c = 0; c < 2; c++) inside_[part * 2 + c] += change_[part * 2 + c];
        return true;
    }
};

}  // namespace trueval

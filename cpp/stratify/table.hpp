// Where the classes stand: for each class and part how far it is from its target.
//
// Two forms of one table: single rows bring one member to each of their classes, so
// 32-bit integers and one short row a class are enough; groups bring any number, and
// doubles hold their products.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "price.hpp"
#include "problem.hpp"

namespace trueval {

// The classes that an item of the search changes.
struct Span {
    const int32_t *begin, *end;
    const int32_t *counts;  // null for single rows
};

class UnitTable {
public:
    using Price = int32_t;
    static constexpr bool kGroups = false;
    static constexpr Price kStrict = 0;  // an improvement is below this

    explicit UnitTable(const AnnealProblem &p)
        : packed_(!p.by_part),
          lanes_(((packed_ ? p.n_parts + 2 : p.n_parts) + 7) / 8 * 8),
          stride_(packed_ ? lanes_ : 3 * lanes_),
          memory_(static_cast<size_t>(p.n_classes) * stride_ + 8, 0) {
        const PriceFunctions functions = price_functions();
        function_ = packed_ ? functions.packed : functions.full;
        // Rows of 32 bytes should not lie across two cache lines.
        rows_ = memory_.data() + (32 - reinterpret_cast<uintptr_t>(memory_.data()) % 32) % 32 / 4;
        for (int64_t c = 0; c < p.n_classes; c++) {
            int32_t *row = rows_ + c * stride_;
            if (packed_) {
                row[lanes_ - 2] = static_cast<int32_t>(p.slope[c]);
                row[lanes_ - 1] = static_cast<int32_t>(p.dip[c]);
            }
            for (int j = 0; j < p.n_parts && !packed_; j++) {
                row[lanes_ + j] = static_cast<int32_t>(p.slope[p.cell(c, j)]);
                row[2 * lanes_ + j] = static_cast<int32_t>(p.dip[p.cell(c, j)]);
            }
        }
    }
    UnitTable(const UnitTable &) = delete;
    UnitTable &operator=(const UnitTable &) = delete;

    int lanes() const { return lanes_; }
    int packs() const { return lanes_ / 8; }  // what a label costs to look at, beside 8 parts
    void price(const Span &s, int from, Price *price) const {
        function_({rows_, lanes_, stride_}, s.begin, s.end, from, price);
    }
    // Price of a move between two parts.
    Price price_of_move(const Span &s, int from, int to) const {
        Price sum = 0;
        for (const int32_t *c = s.begin; c < s.end; c++)
            sum += one_more(*c, to, 0) - one_more(*c, from, 1);
        return sum;
    }
    // Price of one member more in a part that has `less` members less than now.
    Price one_more(int64_t c, int j, int less) const {
        const int32_t mark = rows_[c * stride_ + j] - 2 * less;
        return mark < 0 ? -slope(c, j) : slope(c, j) - (mark == 1 ? dip(c, j) : 0);
    }
    void shift(const Span &s, int part, int sign) {
        int32_t *column = rows_ + part;
        for (const int32_t *c = s.begin; c < s.end; c++)
            column[*c * int64_t(stride_)] += 2 * sign;
    }
    int64_t deviation(int64_t c, int j) const { return (rows_[c * stride_ + j] - 1) / 2; }
    void set_deviation(int64_t c, int j, int64_t d) {
        rows_[c * stride_ + j] = static_cast<int32_t>(2 * d + 1);
    }
    int64_t cost(int64_t c, int j) const {
        return class_cost<int64_t>(deviation(c, j), slope(c, j), dip(c, j));
    }

private:
    bool packed_;
    int lanes_, stride_;
    std::vector<int32_t> memory_;
    int32_t *rows_;
    UnitPrice function_;

    int32_t slope(int64_t c, int j) const {
        return rows_[c * stride_ + (packed_ ? lanes_ - 2 : lanes_ + j)];
    }
    int32_t dip(int64_t c, int j) const {
        return rows_[c * stride_ + (packed_ ? lanes_ - 1 : 2 * lanes_ + j)];
    }
};

class GroupTable {
public:
    using Price = double;
    static constexpr bool kGroups = true;
    static constexpr Price kStrict = -1.0;  // the bend is not whole, so prices may be rounded

    explicit GroupTable(const AnnealProblem &p)
        : lanes_((p.n_parts + 3) / 4 * 4),
          stride_(4 * lanes_),
          rows_(static_cast<size_t>(p.n_classes) * stride_, 0.0),
          function_(price_functions().group) {
        for (int64_t c = 0; c < p.n_classes; c++)
            for (int j = 0; j < p.n_parts; j++) {
                double *row = &rows_[c * stride_];
                row[lanes_ + j] = static_cast<double>(p.slope[p.cell(c, j)]);
                row[2 * lanes_ + j] = static_cast<double>(p.dip[p.cell(c, j)]);
                row[3 * lanes_ + j] = p.bend[p.cell(c, j)];
            }
    }

    int lanes() const { return lanes_; }
    int packs() const { return lanes_ / 4; }
    void price(const Span &s, int from, Price *price) const {
        function_({rows_.data(), lanes_, stride_}, s.begin, s.end, s.counts, from, price);
    }
    void shift(const Span &s, int part, int sign) {
        for (int64_t e = 0; e < s.end - s.begin; e++)
            rows_[s.begin[e] * int64_t(stride_) + part] += double(sign) * s.counts[e];
    }
    int64_t deviation(int64_t c, int j) const {
        return static_cast<int64_t>(rows_[c * stride_ + j]);
    }
    void set_deviation(int64_t c, int j, int64_t d) {
        rows_[c * stride_ + j] = static_cast<double>(d);
    }
    int64_t cost(int64_t c, int j) const {
        const double *row = &rows_[c * stride_ + j];
        return static_cast<int64_t>(class_cost(row[0], row[lanes_], row[2 * lanes_], row[3 * lanes_]));
    }

private:
    int lanes_, stride_;
    std::vector<double> rows_;
    GroupPrice function_;
};

}  // namespace trueval

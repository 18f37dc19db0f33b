// The sweeps of the annealing search.
//
// Each visit prices all parts of an item in one pass over its labels. At temperature
// T its part is drawn with probability proportional to share · exp(-cost / T) (Gumbel
// trick); at T = 0 it moves to the cheapest part if that is a strict improvement.
//
// Classes are numbered so that `reach` never rises: at temperature T a class whose
// typical price is far below T cannot steer anything, so it is not looked at.
//
// An item whose cheapest move is many T away will hardly move: it is not visited again
// for a few sweeps. Near the end this saves most visits.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "state.hpp"

namespace trueval {

template <typename Table>
class AnnealSearch : public SearchState<Table> {
public:
    using Base = SearchState<Table>;
    using Price = typename Table::Price;
    static constexpr int kNoiseBits = 10;
    static constexpr double kLookAhead = 16.0;  // a class takes part from T / this on
    // Work is counted in label visits: what a visit, a draw and a move take beside them.
    static constexpr int kVisit = 12, kDraw = 3, kMove = 8;
    static constexpr int kAhead = 3;  // items whose lists are asked for before they are visited

    AnnealSearch(const AnnealProblem &problem, const double *log_share, int32_t *part_of_item,
                 uint64_t seed)
        : Base(problem, part_of_item, seed),
          log_share_(log_share, log_share + problem.n_parts),
          more_(this->table.lanes(), Price(0)),
          less_(this->table.lanes(), Price(0)),
          bias_(problem.n_parts, Price(0)),
          rent_(problem.n_parts, 0.0),
          noise_(size_t(1) << kNoiseBits),
          wait_(problem.n_items, 0) {}

    // Sweeps at one temperature until `work` is done, at least one. Returns the work.
    int64_t anneal(double temperature, double size_weight, int64_t work) {
        set_temperature(temperature, size_weight);
        const auto &reach = this->p.reach;
        this->activate(std::partition_point(reach, reach + this->p.n_classes,
                                            [&](double r) { return r >= temperature_ / kLookAhead; })
                       - reach);
        if (this->p.n_items == 0) return 0;  // no visit would ever count as work
        const int64_t before = work_;
        do {
            sweep<true>();
            adjust_rents();
        } while (work_ - before < work);
        return work_ - before;
    }

    // One strict visit to every item, with all classes. Returns the moves made.
    int64_t improve(double size_weight) {
        set_temperature(0.0, size_weight);
        this->activate(this->p.n_classes);
        return sweep<false>();
    }

    // After the parts of items were changed from outside.
    void restart() {
        Base::restart();
        std::fill(rent_.begin(), rent_.end(), 0.0);
        std::fill(wait_.begin(), wait_.end(), uint8_t(0));
    }

private:
    std::vector<double> log_share_;   // log(k * share)
    std::vector<Price> more_, less_;  // price of one row more or less in a part
    std::vector<Price> bias_;         // log_share_ at this temperature
    std::vector<double> rent_;        // price of a row's place in each part
    std::vector<Price> noise_;        // Gumbel quantiles at this temperature
    std::vector<uint8_t> wait_;       // sweeps for which an item is left out
    double temperature_ = 0, size_weight_ = 0;
    Price range_ = 0;                 // dearer moves than this cannot be drawn
    Price patience_[3] = {0, 0, 0};   // from these prices on an item waits
    int64_t work_ = 0;

    void set_temperature(double temperature, double size_weight) {
        size_weight_ = size_weight;
        for (int j = 0; j < this->k; j++) note_size(j);
        if (temperature == 0.0 || temperature == temperature_) return;
        temperature_ = temperature;
        for (size_t x = 0; x < noise_.size(); x++)
            noise_[x] = static_cast<Price>(
                std::floor(temperature * static_cast<double>(this->p.noise[x]) / 65536.0));
        Price lowest = 0, highest = 0;
        for (int j = 0; j < this->k; j++) {
            bias_[j] = static_cast<Price>(std::floor(temperature * log_share_[j]));
            lowest = std::min(lowest, bias_[j]), highest = std::max(highest, bias_[j]);
        }
        range_ = noise_.back() - noise_.front() + highest - lowest;
        patience_[0] = static_cast<Price>(6.0 * temperature);
        patience_[1] = static_cast<Price>(9.0 * temperature);
        patience_[2] = static_cast<Price>(12.0 * temperature);
    }

    template <bool HOT>
    int64_t sweep() {
        this->shuffle();
        int64_t moves = 0;
        int64_t due[Base::kLargestBlock];
        const size_t n_blocks = this->order.size();
        for (size_t b = 0; b < n_blocks; b++) {
            if (b + 1 < n_blocks) this->prefetch_block(this->order[b + 1] * this->block);
            const int n_due = due_items<HOT>(this->order[b] * this->block, due);
            for (int x = 0; x < std::min(n_due, kAhead); x++) this->prefetch(due[x]);
            // Invariant: the table, for active classes, and the sizes agree with part.
            for (int x = 0; x < n_due; x++) {
                if (x + kAhead < n_due) this->prefetch(due[x + kAhead]);
                moves += visit<HOT>(due[x]);
            }
        }
        return moves;
    }

    // The items of a block that are to be visited; the others wait one sweep less.
    template <bool HOT>
    int due_items(int64_t first, int64_t *due) {
        const int64_t last = std::min(this->p.n_items, first + this->block);
        uint8_t *wait = wait_.data();
        int n_due = 0;
        // Invariant: due[0 .. n_due) are those before `item` that need not wait.
        for (int64_t item = first; item < last; item++) {
            const uint8_t left = HOT ? wait[item] : 0;
            due[n_due] = item;
            n_due += left == 0;
            if (HOT) wait[item] = static_cast<uint8_t>(left - (left > 0));
        }
        return n_due;
    }

    // One step of a sweep; returns whether the item moved.
    template <bool HOT>
    bool visit(int64_t item) {
        const int from = this->part[item], k = this->k;
        const Span span = this->span(item);
        const int32_t rows = this->p.rows_in(item);
        this->price_all(item);
        work_ += (span.end - span.begin + kVisit) * this->table.packs();
        Price *price = this->price.data();
        const Price stay = price[from] - size_price(from, -rows);
        Price least = std::numeric_limits<Price>::max();
        int best = from;
        for (int j = 0; j < k; j++) {
            price[j] += size_price(j, rows) - stay;
            if (j != from && price[j] < least) least = price[j], best = j;
        }
        if (!HOT) {
            if (!(least < Table::kStrict)) return false;
            this->move(item, best), note_size(from), note_size(best);
            return true;
        }
        wait_[item] = least < patience_[0] ? 0 : least < patience_[1] ? 1
                    : least < patience_[2] ? 3 : 7;
        if (span.begin == span.end) wait_[item] = 3;  // it matters to the sizes alone
        if (least > range_) return false;
        work_ += kDraw * k;
        uint64_t bits = 0;
        int left = 0;
        auto noise = [&](int j) {
            if (left == 0) bits = this->random.next(), left = 64 / kNoiseBits;
            const Price g = noise_[bits & ((1u << kNoiseBits) - 1)];
            bits >>= kNoiseBits, left--;
            return g + bias_[j];
        };
        best = from;
        least = -noise(from);
        for (int j = 0; j < k; j++) {
            if (j == from) continue;
            const Price value = price[j] - noise(j);
            if (value < least) best = j, least = value;
        }
        if (best == from) return false;
        work_ += span.end - span.begin + kMove;
        this->move(item, best), note_size(from), note_size(best);
        return true;
    }

    // How badly a part of this size misses the wanted band, in rows; convex, so that
    // sizes may breathe but not drift. The size of groups is a class like others.
    double misfit(int j, int64_t size) const {
        const double rows = static_cast<double>(
            std::max<int64_t>({0, size - this->p.high[j], this->p.low[j] - size}));
        return rows + rows * rows * 0.3;
    }
    Price size_price(int j, int32_t rows) const {
        return Table::kGroups ? Price(0) : rows > 0 ? more_[j] : less_[j];
    }
    void note_size(int j) {
        if (Table::kGroups) return;
        constexpr double kMost = 1 << 28;
        const double now = misfit(j, this->size[j]);
        const double more = size_weight_ * (misfit(j, this->size[j] + 1) - now) + rent_[j];
        const double less = size_weight_ * (misfit(j, this->size[j] - 1) - now) - rent_[j];
        more_[j] = static_cast<Price>(std::floor(std::clamp(more, -kMost, kMost)));
        less_[j] = static_cast<Price>(std::floor(std::clamp(less, -kMost, kMost)));
    }

    // Classes may pull all one way, the harder the colder it is. So a part that is too
    // large gets dearer from sweep to sweep until it is not. The gain is small against
    // what misfit() gives at once.
    void adjust_rents() {
        constexpr double kGain = 0.03;
        for (int j = 0; j < this->k && !Table::kGroups; j++) {
            const int64_t over = std::max<int64_t>(0, this->size[j] - this->p.high[j]);
            const int64_t under = std::max<int64_t>(0, this->p.low[j] - this->size[j]);
            rent_[j] += kGain * temperature_ * static_cast<double>(over - under);
            note_size(j);
        }
    }
};

}  // namespace trueval

// The search behind method="anneal".
//
// Items (rows, or groups of rows) sit in parts. A class of size D has, in part
// j with share w_j, the deviation x = count - D·w_j and pays |x| · f_j / D with
// f_j = 1 / (k·w_j): summed over parts this is the class's rLD against the
// wanted sizes. Only the deviations are stored, one short row of floats per
// class, so the price of moving an item to every part at once is one pass over
// its labels with one cache line each.
//
// Classes are numbered from the smallest to the largest. At temperature T a
// class with 1/D far below T cannot steer anything, so a sweep may look at the
// first `active` classes only; the deviations of the others are made anew when
// they become active.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "../random.hpp"
#include "price.hpp"

namespace trueval {

struct AnnealProblem {
    int64_t n_items, n_classes;
    int n_parts;
    const int64_t *indptr;        // label lists: classes ascending
    const int32_t *indices;
    const int32_t *counts;        // members an item brings to each listed class; null: 1 each
    const int32_t *list_of_item;  // several items may share one list
    const int32_t *item_size;     // rows in the item; null: 1 each
    const double *class_size;     // ascending
    const double *shares;         // wanted share of each part, sum 1
    const int32_t *base_counts;   // (n_classes, n_parts): members already placed
    const int64_t *base_sizes;    // rows already placed
    const int64_t *low, *high;    // wanted sizes: low <= size <= high
    const float *noise;           // 4096 quantiles of the Gumbel distribution
};

class AnnealSearch {
public:
    static constexpr int kNoiseBits = 12;
    static constexpr int64_t kLargestBlock = 64, kLeastBlocks = 1024;
    static constexpr float kStrict = -1e-7f;  // better by more than rounding

    AnnealSearch(const AnnealProblem &problem, int32_t *part_of_item, uint64_t seed)
        : p_(problem),
          part_(part_of_item),
          k_(problem.n_parts),
          lanes_(problem.n_parts <= 4 ? 4 : (problem.n_parts + 7) / 8 * 8),
          random_{seed},
          deviation_(static_cast<size_t>(problem.n_classes) * lanes_, 0.f),
          weight_(problem.n_classes),
          factor_(lanes_, 0.f),
          log_share_(problem.n_parts),
          size_(problem.base_sizes, problem.base_sizes + k_),
          one_more_(problem.n_parts),
          one_less_(problem.n_parts),
          rent_(problem.n_parts, 0.f),
          block_(std::clamp<int64_t>(problem.n_items / kLeastBlocks, 1, kLargestBlock)),
          order_((problem.n_items + block_ - 1) / block_),
          price_(lanes_),
          price_item_(price_function(lanes_, problem.counts == nullptr)) {
        tables_ = {p_.indices, p_.counts, deviation_.data(), weight_.data(), factor_.data(), lanes_};
        for (int64_t c = 0; c < p_.n_classes; c++)
            weight_[c] = static_cast<float>(1.0 / p_.class_size[c]);
        for (int j = 0; j < k_; j++) {
            factor_[j] = static_cast<float>(1.0 / (k_ * p_.shares[j]));
            log_share_[j] = static_cast<float>(std::log(k_ * p_.shares[j]));
        }
        double rows = 0;
        for (int64_t i = 0; i < p_.n_items; i++) rows += rows_in(i);
        if (p_.n_items > 0) size_unit_ = static_cast<float>(rows / p_.n_items);
        std::iota(order_.begin(), order_.end(), 0);
        for (int64_t i = 0; i < p_.n_items; i++)
            if (part_[i] >= 0) size_[part_[i]] += rows_in(i);
        for (int j = 0; j < k_; j++) note_size(j);
    }

    const std::vector<int64_t> &sizes() const { return size_; }

    // Items in the given order, each to the part with the smallest increase of
    // sum (count - target)^2 / D plus a like term for the size.
    void greedy(const int64_t *order) {
        std::fill(part_, part_ + p_.n_items, -1);
        std::copy(p_.base_sizes, p_.base_sizes + k_, size_.begin());
        for (int j = 0; j < k_; j++) note_size(j);
        reset_deviations(0, p_.n_classes);
        active_ = p_.n_classes;
        // Invariant: the items order[0 .. x) are placed and counted.
        for (int64_t x = 0; x < p_.n_items; x++) {
            int64_t item = order[x];
            int32_t rows = rows_in(item);
            float *price = price_.data();
            std::fill(price, price + lanes_, 0.f);
            for (int64_t e = begin(item); e < end(item); e++) {
                const float *row = deviation(p_.indices[e]);
                float w = weight_[p_.indices[e]], v = members(e);
                for (int j = 0; j < lanes_; j++) price[j] += w * v * (row[j] + 0.5f * v);
            }
            int best = -1;
            float least = 0;
            for (int pass = 0; best < 0; pass++) {  // second pass: no part has room
                for (int j = 0; j < k_; j++) {
                    if (pass == 0 && size_[j] + rows > p_.high[j]) continue;
                    float wanted = 0.5f * static_cast<float>(p_.low[j] + p_.high[j]);
                    float fill = (static_cast<float>(size_[j]) - wanted) / std::max(wanted, 1.f);
                    float value = pass == 0 ? factor_[j] * price[j] + fill * rows
                                            : fill;
                    if (best < 0 || value < least) best = j, least = value;
                }
            }
            place(item, best);
        }
    }

    // One visit to every item, blocks of neighbours in random order: single items
    // would be far apart in memory, which makes visits of large data several times
    // as slow. At temperature T the item's part is drawn with probability
    // proportional to share · exp(-cost / T) (Gumbel trick); at T = 0 it moves to
    // the cheapest part if that is a strict improvement. `size_weight` is the
    // price of one item out of the wanted sizes. Returns the moves made.
    int64_t sweep(float temperature, float size_weight, int64_t active) {
        activate(active);
        shuffle();
        int64_t moves = 0;
        for (const int64_t block : order_) {
            const int64_t last = std::min(p_.n_items, (block + 1) * block_);
            // Invariant: deviations of active classes and sizes agree with part_.
            for (int64_t item = block * block_; item < last; item++)
                moves += visit(item, temperature, size_weight);
        }
        adjust_rents(temperature);
        return moves;
    }

    // Moves single rows, the cheapest first, until every size is as wanted.
    // Items must be single rows. Returns the moves made.
    int64_t settle() {
        activate(p_.n_classes);
        struct Candidate {
            float price;
            int64_t item;
            int to;
        };
        std::vector<Candidate> found;
        int64_t moves = 0;
        // Invariant: each round lowers the number of misplaced rows.
        for (;;) {
            int64_t over = 0, under = 0;
            for (int j = 0; j < k_; j++) {
                over += std::max<int64_t>(0, size_[j] - p_.high[j]);
                under += std::max<int64_t>(0, p_.low[j] - size_[j]);
            }
            int64_t needed = std::max(over, under);
            if (needed == 0) return moves;
            auto may_give = [&](int j) { return size_[j] > (over ? p_.high[j] : p_.low[j]); };
            auto may_take = [&](int j) { return size_[j] < (under ? p_.low[j] : p_.high[j]); };
            found.clear();
            for (int64_t item = 0; item < p_.n_items; item++) {
                int from = part_[item];
                if (!may_give(from)) continue;
                float leave = evaluate(item, from);
                int to = -1;
                for (int j = 0; j < k_; j++)
                    if (may_take(j) && (to < 0 || price_[j] < price_[to])) to = j;
                if (to >= 0) found.push_back({leave + price_[to], item, to});
            }
            if (found.empty()) return moves;  // what is fixed already breaks the sizes
            auto cheaper = [](const Candidate &a, const Candidate &b) {
                return a.price != b.price ? a.price < b.price : a.item < b.item;
            };
            // Half of what is needed, then prices are taken anew.
            size_t batch = std::min(found.size(), static_cast<size_t>((needed + 1) / 2));
            std::partial_sort(found.begin(), found.begin() + batch, found.end(), cheaper);
            for (size_t f = 0; f < batch; f++) {
                if (!may_give(part_[found[f].item]) || !may_take(found[f].to)) continue;
                lift(found[f].item);
                place(found[f].item, found[f].to);
                moves++;
            }
        }
    }

    // One strict visit to every item that exchanges it with one of another part
    // where that is an improvement; sizes stay as they are. Partners are the item
    // that is cheapest to move the other way among those seen so far, and
    // `partners` random ones: like items may not be cheap to move one by one.
    // Items must be single rows. Returns the exchanges made.
    int64_t exchange(int partners) {
        activate(p_.n_classes);
        shuffle();
        const float never = std::numeric_limits<float>::infinity();
        struct Waiting {
            float price;
            int64_t item;
        };
        std::vector<Waiting> waiting(static_cast<size_t>(k_) * k_, Waiting{never, -1});
        std::vector<float> own(lanes_);  // prices of the item visited
        int64_t exchanges = 0;
        for (const int64_t block : order_) {
            const int64_t last = std::min(p_.n_items, (block + 1) * block_);
            // Invariant: sizes are those at the start; waiting[i * k + j] was, when seen, the
            // cheapest item to move from i to j.
            for (int64_t item = block * block_; item < last; item++) {
                const int from = part_[item];
                const float leave = evaluate(item, from);
                std::copy(price_.begin(), price_.end(), own.begin());
                int to = from;
                float least = kStrict;
                for (int j = 0; j < k_; j++) {
                    const float sum = leave + own[j] + waiting[j * k_ + from].price;
                    if (j != from && sum < least) least = sum, to = j;
                }
                bool done = false;
                if (to != from) {
                    const int64_t other = waiting[to * k_ + from].item;
                    waiting[to * k_ + from] = {never, -1};  // gone, or dearer than it was
                    done = try_exchange(item, to, leave + own[to], other);
                }
                for (int t = 0; t < partners && !done; t++) {
                    const int64_t other = random_.below(static_cast<uint32_t>(p_.n_items));
                    to = part_[other];
                    done = to != from && try_exchange(item, to, leave + own[to], other);
                }
                exchanges += done;
                for (int j = 0; j < k_ && !done; j++) {
                    Waiting &mine = waiting[from * k_ + j];
                    if (j != from && leave + own[j] < mine.price) mine = {leave + own[j], item};
                }
            }
        }
        return exchanges;
    }

private:
    AnnealProblem p_;
    int32_t *part_;
    int k_, lanes_;
    SplitMix64 random_;
    std::vector<float> deviation_;  // (n_classes, lanes): count - target
    std::vector<float> weight_;     // 1 / class size
    std::vector<float> factor_;     // 1 / (k * share)
    std::vector<float> log_share_;  // log(k * share)
    float size_unit_ = 1.f;         // mean rows in an item
    std::vector<int64_t> size_;
    std::vector<float> one_more_, one_less_;  // change of misfit by one row
    std::vector<float> rent_;                 // price of a row's place in each part
    int64_t block_;               // items in a block
    std::vector<int32_t> order_;  // of the blocks
    std::vector<float> price_;
    PriceTables tables_;
    PriceFunction price_item_;
    int64_t active_ = 0;  // deviations of classes [0, active_) are true

    int64_t begin(int64_t item) const { return p_.indptr[p_.list_of_item[item]]; }
    int64_t end(int64_t item) const { return p_.indptr[p_.list_of_item[item] + 1]; }
    int32_t rows_in(int64_t item) const { return p_.item_size ? p_.item_size[item] : 1; }
    float members(int64_t e) const { return p_.counts ? static_cast<float>(p_.counts[e]) : 1.f; }
    float *deviation(int64_t c) { return &deviation_[c * lanes_]; }

    void reset_deviations(int64_t from, int64_t to) {
        for (int64_t c = from; c < to; c++)
            for (int j = 0; j < k_; j++)
                deviation(c)[j] = static_cast<float>(p_.base_counts[c * k_ + j] -
                                                     p_.class_size[c] * p_.shares[j]);
    }

    void activate(int64_t wanted) {
        wanted = std::min(wanted, p_.n_classes);
        if (wanted <= active_) {
            active_ = wanted;  // the others are forgotten, not kept up to date
            return;
        }
        reset_deviations(active_, wanted);
        for (int64_t item = 0; item < p_.n_items; item++) {
            // Lists ascend, so the newly active classes are found from the end.
            for (int64_t e = end(item); e-- > begin(item) && p_.indices[e] >= active_;)
                if (p_.indices[e] < wanted) deviation(p_.indices[e])[part_[item]] += members(e);
        }
        active_ = wanted;
    }

    // One step of a sweep; returns whether the item moved.
    bool visit(int64_t item, float temperature, float size_weight) {
        const int from = part_[item];
        const int32_t rows = rows_in(item);
        float leave = evaluate(item, from);
        leave += size_weight * size_change(from, -rows) - rent_[from] * rows;
        uint64_t bits = 0;
        int left = 0;
        auto noise = [&](int j) {
            if (temperature == 0.f) return 0.f;
            if (left == 0) bits = random_.next(), left = 64 / kNoiseBits;
            float g = p_.noise[bits & ((1u << kNoiseBits) - 1)];
            bits >>= kNoiseBits, left--;
            return temperature * (g + log_share_[j]);
        };
        // Strictness: staying wins unless another part is better.
        int best = from;
        float least = temperature == 0.f ? kStrict : -noise(from);
        for (int j = 0; j < k_; j++) {
            if (j == from) continue;
            float value = price_[j] + leave + size_weight * size_change(j, rows) +
                          rent_[j] * rows - noise(j);
            if (value < least) best = j, least = value;
        }
        if (best == from) return false;
        lift(item);
        place(item, best);
        return true;
    }

    // Sizes may breathe around what is wanted, but classes may pull all one way, the
    // harder the colder it is. So a part that is too large gets dearer from sweep to
    // sweep until it is not. The gain is small against what misfit() gives at once.
    void adjust_rents(float temperature) {
        constexpr float kGain = 0.03f;
        for (int j = 0; j < k_; j++) {
            const int64_t over = std::max<int64_t>(0, size_[j] - p_.high[j]);
            const int64_t under = std::max<int64_t>(0, p_.low[j] - size_[j]);
            const float items = static_cast<float>(over - under) / size_unit_;
            rent_[j] += kGain * temperature * items / size_unit_;
        }
    }

    // `gone`: the price of moving the item to `to`. Returns whether they changed places.
    bool try_exchange(int64_t item, int to, float gone, int64_t other) {
        if (part_[other] != to) return false;
        const int from = part_[item];
        lift(item), place(item, to);
        const float leave = evaluate(other, to);
        if (gone + leave + price_[from] < kStrict) {
            lift(other), place(other, from);
            return true;
        }
        lift(item), place(item, from);
        return false;
    }

    void shuffle() {
        for (int64_t i = static_cast<int64_t>(order_.size()) - 1; i > 0; i--)
            std::swap(order_[i], order_[random_.below(static_cast<uint32_t>(i + 1))]);
    }

    void place(int64_t item, int part) { shift(item, part, 1.f), part_[item] = part; }
    void lift(int64_t item) { shift(item, part_[item], -1.f), part_[item] = -1; }
    void shift(int64_t item, int part, float sign) {
        size_[part] += sign > 0 ? rows_in(item) : -rows_in(item);
        note_size(part);
        for (int64_t e = begin(item); e < end(item) && p_.indices[e] < active_; e++)
            deviation(p_.indices[e])[part] += sign * members(e);
    }

    float evaluate(int64_t item, int from) {
        return price_item_(tables_, begin(item), end(item), active_, from, price_.data());
    }

    // How badly a part of this size misses the wanted band, in items; convex, so
    // that sizes may breathe but not drift.
    float misfit(int j, int64_t size) const {
        const int64_t rows = std::max<int64_t>({0, size - p_.high[j], p_.low[j] - size});
        const float items = static_cast<float>(rows) / size_unit_;
        return items + items * items * 0.3f;
    }

    // Change of misfit when a part grows by this many rows (shrinks if negative).
    // For single rows it is looked up; a sweep asks k times for every item.
    float size_change(int j, int32_t rows) const {
        if (!p_.item_size) return rows > 0 ? one_more_[j] : one_less_[j];
        return misfit(j, size_[j] + rows) - misfit(j, size_[j]);
    }

    void note_size(int j) {
        one_more_[j] = misfit(j, size_[j] + 1) - misfit(j, size_[j]);
        one_less_[j] = misfit(j, size_[j] - 1) - misfit(j, size_[j]);
    }
};

}  // namespace trueval

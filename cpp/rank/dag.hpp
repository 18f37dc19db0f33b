// Least squares under "parent >= child" over any acyclic graph, exactly, with a proof.
//
// The multipliers z >= 0 of the edges are a flow from children up to parents, and
// x = values - (flow out) + (flow in) is the dual's guess at the projection. A few sweeps of
// coordinate ascent (Hildreth 1957) bring x close. Then each group of nodes that flow
// or violation ties together is divided at a level t: its nodes whose projection lies
// above t are the closure of largest total (value - t), which a maximum flow finds
// (Hochbaum and Queyranne 2003); parts are divided again, and a group that does not
// divide at its own mean takes it. Groups that collide afterwards are joined and solved
// again. The flow is kept throughout, so that each cut starts from the last.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace trueval {

// Edges by child and by parent; `order` has children before parents.
struct Dag {
    int64_t n_nodes, n_edges;
    const int32_t *order;
    const int32_t *child, *parent;  // of each edge, sorted by child
    std::vector<int64_t> up, down;  // first edge of each child; first place of each parent
    std::vector<int32_t> edge_down;  // edges sorted by parent
    std::vector<int32_t> upward;     // edges from the bottom up

    Dag(const int32_t *order_, int64_t n, const int32_t *child_, const int32_t *parent_, int64_t m)
        : n_nodes(n), n_edges(m), order(order_), child(child_), parent(parent_), up(n + 1),
          down(n + 1), edge_down(m) {
        for (int64_t e = 0; e < m; e++) up[child[e] + 1]++, down[parent[e] + 1]++;
        for (int64_t k = 0; k < n; k++) up[k + 1] += up[k], down[k + 1] += down[k];
        std::vector<int64_t> next(down.begin(), down.end() - 1);
        for (int64_t e = 0; e < m; e++) edge_down[next[parent[e]]++] = static_cast<int32_t>(e);
        upward.reserve(m);
        for (int64_t k = 0; k < n; k++)
            for (int64_t e = up[order[k]]; e < up[order[k] + 1]; e++)
                upward.push_back(static_cast<int32_t>(e));
    }

    // Every node to its highest descendant, or to its lowest ancestor.
    void raise(double *x) const {
        for (int32_t e : upward) x[parent[e]] = std::max(x[parent[e]], x[child[e]]);
    }
    void lower(double *x) const {
        for (size_t k = upward.size(); k-- > 0;) {
            const int32_t e = upward[k];
            x[child[e]] = std::min(x[child[e]], x[parent[e]]);
        }
    }
};

class DagProjection {
public:
    explicit DagProjection(const Dag &dag)
        : g_(dag), v_(dag.n_nodes), x_(dag.n_nodes), z_(dag.n_edges), value_(dag.n_nodes), group_(dag.n_nodes),
          distance_(dag.n_nodes), queue_(dag.n_nodes), nodes_(dag.n_nodes), side_(dag.n_nodes) {}

    // The projection of `row` replaces it. Returns by how much of its squared distance to
    // the old values it may be farther than the nearest consistent values: a proof, by
    // weak duality, that holds whatever happened on the way.
    double project(double *row) {
        if (!violated(row)) return 0;
        const auto [lo, hi] = std::minmax_element(row, row + g_.n_nodes);
        // Halves, since the difference of two finite numbers may be infinite.
        const double low = *lo / 2, unit = *hi / 2 - low;
        if (!(unit > 0)) {  // numbers too small to be halved: nothing is proven
            g_.raise(row);
            return 1;
        }
        for (int64_t k = 0; k < g_.n_nodes; k++) v_[k] = (row[k] / 2 - low) / unit;
        x_ = v_;
        std::fill(z_.begin(), z_.end(), 0.0);
        ascend();
        value_ = x_;
        std::fill(group_.begin(), group_.end(), -1);
        // Each round joins groups, so it ends; the limit is for rounding, and the proof
        // tells.
        for (int round = 0; round < kRounds && gather(); round++) divide_all();
        g_.raise(value_.data());
        const double gap = prove();
        for (int64_t k = 0; k < g_.n_nodes; k++)
            if (value_[k] != v_[k]) row[k] = 2 * (value_[k] * unit + low);
        g_.raise(row);
        return gap;
    }

private:
    static constexpr int kSweeps = 32, kFull = 8, kRounds = 200;
    const Dag &g_;
    static constexpr double kEps = 1e-12, kSlack = 1e-9;  // of a cut; of an edge at the end
    std::vector<double> v_, x_, z_, value_;  // v: from 0 to 1
    std::vector<int32_t> group_, distance_, queue_, nodes_, busy_;
    std::vector<char> side_;
    int32_t next_group_ = 0;
    struct Range {
        int64_t lo, hi;
        bool by_median;
    };
    std::vector<Range> stack_;
    std::vector<double> sorted_;

    bool violated(const double *row) const {
        for (int64_t e = 0; e < g_.n_edges; e++)
            if (row[g_.child[e]] > row[g_.parent[e]]) return true;
        return false;
    }

    // --- a good start ---

    void step(int32_t e) {
        double &low = x_[g_.child[e]], &high = x_[g_.parent[e]];
        const double moved = std::max(0.5 * (low - high), -z_[e]);
        z_[e] += moved;
        low -= moved;
        high += moved;
    }

    void ascend() {
        // Invariant: x = v - (flow out) + (flow in), z >= 0; the dual never falls.
        for (int sweep = 0; sweep < kSweeps; sweep++) {
            if (sweep % kFull == 0) {
                busy_.clear();
                for (int32_t e : g_.upward) {
                    step(e);
                    if (z_[e] > 0) busy_.push_back(e);
                }
            } else {
                for (size_t b = busy_.size(); b-- > 0;) step(busy_[b]);
            }
        }
    }

    // --- groups ---

    // Joins nodes along edges that carry flow or are violated; groups with a violation
    // go on the stack. Returns whether there is any.
    bool gather() {
        std::fill(side_.begin(), side_.end(), 0);
        stack_.clear();
        int64_t filled = 0;
        for (int64_t e = 0; e < g_.n_edges; e++) {
            const int32_t start = g_.child[e];
            if (side_[start] || !broken(e)) continue;
            const int64_t lo = filled;
            nodes_[filled++] = start;
            side_[start] = 1;
            for (int64_t at = lo; at < filled; at++) {
                const int32_t k = nodes_[at];
                for (int64_t i = g_.up[k]; i < g_.up[k + 1]; i++)
                    if (z_[i] > 0 || broken(i)) filled = visit(g_.parent[i], filled);
                for (int64_t i = g_.down[k]; i < g_.down[k + 1]; i++) {
                    const int32_t d = g_.edge_down[i];
                    if (z_[d] > 0 || broken(d)) filled = visit(g_.child[d], filled);
                }
            }
            stack_.push_back({lo, filled, false});
        }
        return !stack_.empty();
    }

    // Optimality of an edge, up to rounding, fails.
    bool broken(int64_t e) const {
        const double over = x_[g_.child[e]] - x_[g_.parent[e]];
        return over > kSlack || (over < -kSlack && z_[e] > kSlack);
    }

    int64_t visit(int32_t k, int64_t filled) {
        if (!side_[k]) side_[k] = 1, nodes_[filled++] = k;
        return filled;
    }

    void divide_all() {
        next_group_ = 0;
        for (const Range &r : stack_) name(r);
        while (!stack_.empty()) {
            const Range r = stack_.back();
            stack_.pop_back();
            divide(r);
        }
        // Outside its group nobody may see a node again.
        std::fill(group_.begin(), group_.end(), -1);
    }

    void name(const Range &r) {
        for (int64_t i = r.lo; i < r.hi; i++) group_[nodes_[i]] = next_group_;
        next_group_++;
    }

    void divide(const Range &r) {
        const int64_t n = r.hi - r.lo;
        if (settled(r)) {
            for (int64_t i = r.lo; i < r.hi; i++) value_[nodes_[i]] = x_[nodes_[i]];
            return;
        }
        double mean = 0;
        for (int64_t i = r.lo; i < r.hi; i++) mean += v_[nodes_[i]];
        mean /= static_cast<double>(n);
        int64_t above = r.by_median ? cut(r, median(r)) : 0;
        if (above == 0 || above == n) above = cut(r, mean);
        if (above == 0 || above == n) {
            for (int64_t i = r.lo; i < r.hi; i++) value_[nodes_[i]] = mean;
            return;
        }
        // A cut that takes little off is followed by one in the middle.
        const bool lopsided = 8 * std::min(above, n - above) < n;
        const Range parts[2] = {{r.lo, r.lo + above, lopsided}, {r.lo + above, r.hi, lopsided}};
        for (const Range &part : parts) name(part);
        for (const Range &part : parts) stack_.push_back(part);
    }

    bool settled(const Range &r) const {
        for (int64_t i = r.lo; i < r.hi; i++) {
            const int32_t k = nodes_[i];
            for (int64_t e = g_.up[k]; e < g_.up[k + 1]; e++)
                if (group_[g_.parent[e]] == group_[k] && broken(e)) return false;
        }
        return true;
    }

    double median(const Range &r) {
        sorted_.clear();
        for (int64_t i = r.lo; i < r.hi; i++) sorted_.push_back(x_[nodes_[i]]);
        auto middle = sorted_.begin() + static_cast<int64_t>(sorted_.size() / 2);
        std::nth_element(sorted_.begin(), middle, sorted_.end());
        return *middle;
    }

    // --- one cut ---

    // Moves flow within the group until what lies above t can reach nothing below it;
    // then orders the range: first the nodes that what is above can reach. Returns how
    // many they are.
    int64_t cut(const Range &r, double t) {
        while (int64_t reached = measure(r, t)) {
            // From afar to near, each node hands what it has above t one step on.
            bool moved = false;
            for (int64_t i = reached; i-- > 0;)
                if (x_[queue_[i]] > t + kEps && distance_[queue_[i]] > 0) moved |= push(queue_[i], t);
            if (!moved) break;
        }
        for (int64_t i = r.lo; i < r.hi; i++) side_[nodes_[i]] = 0;
        int64_t filled = 0;
        for (int64_t i = r.lo; i < r.hi; i++)
            if (x_[nodes_[i]] > t + kEps) side_[nodes_[i]] = 1, queue_[filled++] = nodes_[i];
        for (int64_t at = 0; at < filled; at++) {
            const int32_t k = queue_[at];
            for (int64_t e = g_.up[k]; e < g_.up[k + 1]; e++)
                filled = reach(g_.parent[e], k, filled);
            for (int64_t i = g_.down[k]; i < g_.down[k + 1]; i++)
                if (z_[g_.edge_down[i]] > 0) filled = reach(g_.child[g_.edge_down[i]], k, filled);
        }
        std::partition(nodes_.begin() + r.lo, nodes_.begin() + r.hi,
                       [this](int32_t k) { return side_[k] != 0; });
        return filled;
    }

    int64_t reach(int32_t to, int32_t from, int64_t filled) {
        if (group_[to] == group_[from] && !side_[to]) side_[to] = 1, queue_[filled++] = to;
        return filled;
    }

    // Distance of each node of the group to the nearest one below t, into the queue from
    // near to far; -1 where there is no way. Returns 0 when nothing above t has a way.
    int64_t measure(const Range &r, double t) {
        int64_t filled = 0;
        bool open = false;
        for (int64_t i = r.lo; i < r.hi; i++) {
            const int32_t k = nodes_[i];
            distance_[k] = x_[k] < t - kEps ? 0 : -1;
            if (distance_[k] == 0) queue_[filled++] = k;
        }
        for (int64_t at = 0; at < filled; at++) {
            const int32_t k = queue_[at];
            open |= x_[k] > t + kEps;
            for (int64_t i = g_.down[k]; i < g_.down[k + 1]; i++)
                filled = mark(g_.child[g_.edge_down[i]], k, filled);
            for (int64_t e = g_.up[k]; e < g_.up[k + 1]; e++)
                if (z_[e] > 0) filled = mark(g_.parent[e], k, filled);
        }
        return open ? filled : 0;
    }

    int64_t mark(int32_t to, int32_t from, int64_t filled) {
        if (group_[to] == group_[from] && distance_[to] < 0) {
            distance_[to] = distance_[from] + 1;
            queue_[filled++] = to;
        }
        return filled;
    }

    bool push(int32_t k, double t) {
        bool moved = false;
        const int32_t want = distance_[k] - 1;
        // First to each what it lacks, then the rest wherever there is room.
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t e = g_.up[k]; e < g_.up[k + 1]; e++) {
                const double have = x_[k] - t;
                if (have <= 0) return true;
                const int32_t to = g_.parent[e];
                if (group_[to] != group_[k] || distance_[to] != want) continue;
                const double sent = pass ? have : std::min(have, t - x_[to]);
                if (sent <= 0) continue;
                z_[e] += sent, x_[k] -= sent, x_[to] += sent;
                moved = true;
            }
            for (int64_t i = g_.down[k]; i < g_.down[k + 1]; i++) {
                const double have = x_[k] - t;
                if (have <= 0) return true;
                const int32_t e = g_.edge_down[i], to = g_.child[e];
                if (z_[e] <= 0 || group_[to] != group_[k] || distance_[to] != want) continue;
                const double sent = std::min(z_[e], pass ? have : std::min(have, t - x_[to]));
                if (sent <= 0) continue;
                z_[e] -= sent, x_[k] -= sent, x_[to] += sent;
                moved = true;
            }
        }
        return moved;
    }

    // --- the result and its proof ---

    // With x from the flow itself, the least half squared distance is at least
    // |x - v|^2 / 2 + (sum of z (child - parent) over the edges).
    double prove() {
        x_ = v_;
        for (int64_t e = 0; e < g_.n_edges; e++)
            x_[g_.child[e]] -= z_[e], x_[g_.parent[e]] += z_[e];
        double excess = 0, distance = 0;
        for (int64_t k = 0; k < g_.n_nodes; k++) {
            const double mine = value_[k] - v_[k], bound = x_[k] - v_[k];
            distance += 0.5 * mine * mine;
            excess += 0.5 * (mine - bound) * (mine + bound);
        }
        for (int64_t e = 0; e < g_.n_edges; e++)
            excess += z_[e] * (x_[g_.parent[e]] - x_[g_.child[e]]);
        return distance > 0 ? std::max(excess, 0.0) / distance : 0.0;
    }
};

}  // namespace trueval

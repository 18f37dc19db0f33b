// Lines of "labels features": svmlight and the extreme-classification format.
//
//   3,17,240 0:1.5 8:0.25      labels, a space, index:value pairs
//    0:1.5                     no labels
//
// One pass over the bytes; nothing is allocated but the labels found. Every byte is
// looked at, features too, so that a torn or shifted line is found where it stands.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trueval {

enum class LineError : int64_t {
    none = 0,
    bad_label = 1,
    label_out_of_range = 2,
    bad_feature = 3,
    feature_out_of_range = 4,
};

struct LabelLines {
    std::vector<int64_t> counts;  // labels of each row
    std::vector<int64_t> labels;  // of all rows, in order
    LineError error = LineError::none;
    int64_t line = 0;             // lines read, or the line of the error, from 0
    int64_t offset = 0;           // first byte of the token in error
    int64_t last_written = -1;    // last row that is not a blank line
};

namespace lines {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_space(char c) { return c == ' ' || c == '\t'; }

// Digits at p into value; false for none, or for more than 18 of them.
inline bool read_number(const char *&p, const char *end, int64_t &value) {
    const char *first = p;
    value = 0;
    while (p < end && is_digit(*p)) {
        if (p - first >= 18) return false;
        value = value * 10 + (*p++ - '0');
    }
    return p > first;
}

inline bool is_value_byte(char c) {
    switch (c) {
        case '+': case '-': case '.': case 'e': case 'E':
        case 'n': case 'N': case 'a': case 'A': case 'i': case 'I': case 'f': case 'F':
            return true;
        default:
            return is_digit(c);
    }
}

}  // namespace lines

// n_labels, n_features: −1 for no bound. svmlight: '#' comments, "qid:", signs and ".0"
// on labels, and blank lines that are not rows.
inline LabelLines parse_label_lines(const char *text, size_t size, int64_t n_labels,
                                    int64_t n_features, bool svmlight) {
    using namespace lines;
    LabelLines out;
    const char *p = text;
    const char *const stop = text + size;
    auto fail = [&](LineError error, const char *where) {
        out.error = error;
        out.offset = where - text;
    };
    // Invariant: p is the start of line number out.line; counts and labels hold all rows
    // of the lines before it.
    while (p < stop) {
        const char *newline = p;
        while (newline < stop && *newline != '\n' && !(svmlight && *newline == '#')) ++newline;
        const char *end = newline;
        while (newline < stop && *newline != '\n') ++newline;  // over a comment
        if (end > p && end[-1] == '\r') --end;
        const char *first = p;
        while (first < end && is_space(*first)) ++first;
        if (first == end && svmlight) {
            ++out.line;
            p = newline + 1;
            continue;
        }
        if (first < end) out.last_written = static_cast<int64_t>(out.counts.size());
        const size_t before = out.labels.size();
        if (first == p && p < end) {
            // Invariant: q is the start of a label.
            const char *q = p;
            while (true) {
                const char *token = q;
                int64_t value;
                bool negative = false;
                if (svmlight && q < end && (*q == '-' || *q == '+')) negative = *q++ == '-';
                if (!read_number(q, end, value)) {
                    // A row without labels may begin with "qid:" at once.
                    if (svmlight && token == p && end - p > 4 && p[0] == 'q') break;
                    return fail(LineError::bad_label, token), out;
                }
                if (q < end && *q == ':' && token == p) break;  // a feature: no labels
                if (svmlight && q < end && *q == '.') {
                    ++q;
                    while (q < end && *q == '0') ++q;
                }
                if (q < end && *q != ',' && !is_space(*q))
                    return fail(LineError::bad_label, token), out;
                if (negative) value = -value;
                if (n_labels >= 0 && (value < 0 || value >= n_labels))
                    return fail(LineError::label_out_of_range, token), out;
                out.labels.push_back(value);
                first = q;
                if (q >= end || is_space(*q)) break;
                ++q;
            }
        }
        out.counts.push_back(static_cast<int64_t>(out.labels.size() - before));
        // Invariant: everything of the line before q is read.
        const char *q = first;
        while (true) {
            while (q < end && is_space(*q)) ++q;
            if (q >= end) break;
            const char *token = q;
            int64_t value = 0;
            const bool query = svmlight && end - q > 4 && q[0] == 'q' && q[1] == 'i' &&
                               q[2] == 'd' && q[3] == ':';
            if (query) q += 3;
            if ((!query && !read_number(q, end, value)) || q >= end || *q != ':')
                return fail(LineError::bad_feature, token), out;
            const char *number = ++q;
            while (q < end && is_value_byte(*q)) ++q;
            if (q == number || (q < end && !is_space(*q)))
                return fail(LineError::bad_feature, token), out;
            if (n_features >= 0 && value >= n_features)
                return fail(LineError::feature_out_of_range, token), out;
        }
        ++out.line;
        p = newline + 1;
    }
    return out;
}

}  // namespace trueval

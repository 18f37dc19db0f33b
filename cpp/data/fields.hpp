// Fields of delimited text, white space around them, and cells of 0 and 1.
//
//   id,labels            a field ends at the delimiter or with its line
//   "p,1","a ""b"""      one that begins with a quote ends at the next lone quote
//
// Fields are ranges of bytes in the text itself; nothing is copied. A doubled quote is
// made single in place, which only ever shortens a field.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace trueval {

enum class FieldError : int64_t { none = 0, ragged = 1, quotes = 2 };

struct Fields {
    std::vector<int32_t> starts, stops;  // of the wanted columns, row after row
    std::vector<int32_t> blank_rows;     // rows that blank lines come before,
    std::vector<int32_t> blank_counts;   // and how many
    FieldError error = FieldError::none;
    int64_t line = 0;                    // lines read, or the line of the error, from 0
};

namespace fields {

// Bytes of the white space that begins at p, as Python's str.strip knows it; 0 for none.
inline int space_at(const char *p, const char *end) {
    const auto a = static_cast<unsigned char>(*p);
    if (a == ' ' || (a >= 9 && a <= 13) || (a >= 28 && a <= 31)) return 1;
    if (a < 0xC2 || end - p < 2) return 0;
    const auto b = static_cast<unsigned char>(p[1]);
    if (a == 0xC2) return b == 0x85 || b == 0xA0 ? 2 : 0;
    if (a < 0xE1 || a > 0xE3 || end - p < 3) return 0;
    const auto c = static_cast<unsigned char>(p[2]);
    if (a == 0xE1) return b == 0x9A && c == 0x80 ? 3 : 0;
    if (a == 0xE3) return b == 0x80 && c == 0x80 ? 3 : 0;
    if (b == 0x80) return (c >= 0x80 && c <= 0x8A) || c == 0xA8 || c == 0xA9 || c == 0xAF ? 3 : 0;
    return b == 0x81 && c == 0x9F ? 3 : 0;
}

inline std::string_view strip(const char *p, const char *end) {
    while (p < end) {
        const int n = space_at(p, end);
        if (n == 0) break;
        p += n;
    }
    // Invariant: everything from end on is white space.
    while (p < end) {
        int n = 0;
        for (int back = 1; back <= 3 && back <= end - p && n == 0; ++back)
            if (space_at(end - back, end) == back) n = back;
        if (n == 0) break;
        end -= n;
    }
    return {p, static_cast<size_t>(end - p)};
}

// The field that begins at p; moves p to the delimiter or end that follows it. False if
// its quotes do not match.
inline bool next(char *&p, char *end, char delimiter, char *&start, char *&stop) {
    if (p == end || *p != '"') {
        start = p;
        while (p < end && *p != delimiter) ++p;
        stop = p;
        return true;
    }
    start = stop = ++p;
    // Invariant: [start, stop) is the content of [start, p).
    while (p < end) {
        if (*p == '"') {
            if (p + 1 == end || p[1] != '"') {
                ++p;
                return p == end || *p == delimiter;
            }
            ++p;
        }
        *stop++ = *p++;
    }
    return false;
}

}  // namespace fields

// Fields of some columns (in rising order) of all lines that are not empty.
inline Fields split_fields(char *text, int64_t size, char delimiter, int64_t width,
                           const int32_t *columns, int64_t n_columns) {
    Fields out;
    char *p = text;
    char *const last = text + size;
    int32_t row = 0, blanks = 0;
    // Invariant: p is the start of line number out.line, and starts and stops hold the
    // fields of the rows before it.
    while (p < last) {
        char *end = static_cast<char *>(std::memchr(p, '\n', static_cast<size_t>(last - p)));
        if (end == nullptr) end = last;
        if (p == end) {
            ++blanks;
        } else {
            if (blanks > 0) {
                out.blank_rows.push_back(row);
                out.blank_counts.push_back(blanks);
                blanks = 0;
            }
            int64_t at = 0, chosen = 0;
            while (true) {
                char *start, *stop;
                if (!fields::next(p, end, delimiter, start, stop)) {
                    out.error = FieldError::quotes;
                    return out;
                }
                if (chosen < n_columns && columns[chosen] == at) {
                    out.starts.push_back(static_cast<int32_t>(start - text));
                    out.stops.push_back(static_cast<int32_t>(stop - text));
                    ++chosen;
                }
                ++at;
                if (p == end) break;
                ++p;
            }
            if (at != width) {
                out.error = FieldError::ragged;
                return out;
            }
            ++row;
        }
        ++out.line;
        p = end + 1;
    }
    return out;
}

struct Flags {
    std::vector<int32_t> counts;   // ones in each row
    std::vector<int32_t> columns;  // of all ones, in order
    int64_t bad = -1;              // first field that is neither 0 nor 1
};

// Columns of the ones in a table of n_columns fields a row.
inline Flags find_flags(const char *text, const int32_t *starts, const int32_t *stops,
                        int64_t n_fields, int64_t n_columns) {
    Flags out;
    // Invariant: counts holds the rows before that of field i.
    for (int64_t i = 0; i < n_fields; ++i) {
        const int64_t column = i % n_columns;
        if (column == 0) out.counts.push_back(0);
        std::string_view cell(text + starts[i], static_cast<size_t>(stops[i] - starts[i]));
        if (cell.size() > 1) cell = fields::strip(cell.data(), cell.data() + cell.size());
        if (cell == "0" || cell == "0.0" || cell == "False" || cell == "false" || cell == "FALSE")
            continue;
        if (cell != "1" && cell != "1.0" && cell != "True" && cell != "true" && cell != "TRUE") {
            out.bad = i;
            return out;
        }
        out.columns.push_back(static_cast<int32_t>(column));
        ++out.counts.back();
    }
    return out;
}

}  // namespace trueval

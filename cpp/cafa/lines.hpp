// Lines of names and numbers separated by blanks: CAFA predictions, ground truth,
// information accretion, tabular alignments.
//
//   P12345  GO:0008150  0.93  whatever follows
//
// '\r' is a blank at the end of a line; the caller has refused it elsewhere, and NUL too.
// One pass over the bytes. A name is kept once, where it first occurs; a line that is not a
// record is handed back by its place, for the caller to judge.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

namespace trueval {

struct WordLines {
    std::vector<int32_t> codes;    // n_names for each record, one after the other
    std::vector<double> numbers;   // as many for each record as columns were asked for
    std::vector<int64_t> spans;    // start and end of each new name; column by column
    std::vector<int64_t> n_new;    // new names of each column
    std::vector<int64_t> other;    // line, start, end and records before it, of other lines
    int64_t n_lines = 0;
};

namespace words {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// A whole token as a number, whatever the locale.
inline bool read_double(std::string_view token, double &value) {
    if (!token.empty() && token.front() == '+') token.remove_prefix(1);
    if (token.empty()) return false;
#if defined(__cpp_lib_to_chars)
    const auto done = std::from_chars(token.data(), token.data() + token.size(), value);
    return done.ec == std::errc() && done.ptr == token.data() + token.size();
#else
    std::istringstream stream{std::string(token)};
    stream.imbue(std::locale::classic());
    stream >> value;
    return !stream.fail() && stream.peek() == std::char_traits<char>::eof();
#endif
}

// Numbers of names in order of first occurrence; a name is often that of the line before.
class Names {
  public:
    int32_t number(std::string_view name) {
        if (last_ >= 0 && name == last_name_) return last_;
        const auto entry = known_.try_emplace(name, static_cast<int32_t>(order_.size()));
        if (entry.second) order_.push_back(name);
        last_name_ = name;
        last_ = entry.first->second;
        return last_;
    }
    const std::vector<std::string_view> &order() const { return order_; }

  private:
    std::unordered_map<std::string_view, int32_t> known_;
    std::vector<std::string_view> order_;
    std::string_view last_name_;
    int32_t last_ = -1;
};

// Words that begin the lines around the predictions of a CAFA file.
inline bool is_keyword(std::string_view word) {
    return word == "AUTHOR" || word == "MODEL" || word == "KEYWORDS" || word == "ACCURACY" ||
           word == "END";
}

}  // namespace words

// The first n_names fields are names; number_columns, ascending and beyond them, are numbers.
// Blank lines and lines that begin with '#' are passed over. keywords: lines that begin with a
// word of the CAFA format are no records, whatever follows.
inline WordLines parse_word_lines(const char *text, size_t size, int64_t n_names,
                                  const int64_t *number_columns, size_t n_numbers,
                                  bool keywords) {
    using namespace words;
    WordLines out;
    std::vector<Names> names(static_cast<size_t>(n_names));
    const size_t wanted =
        n_numbers ? static_cast<size_t>(number_columns[n_numbers - 1]) + 1
                  : static_cast<size_t>(n_names);
    std::vector<std::string_view> fields(wanted);
    std::vector<double> values(n_numbers);
    const char *p = text;
    const char *const stop = text + size;
    int64_t n_records = 0;
    // Invariant: p is the start of line number n_lines; codes and numbers hold the records of
    // the lines before it, `other` the places of those that are none.
    while (p < stop) {
        const char *end = p;
        while (end < stop && *end != '\n') ++end;
        size_t n_fields = 0;
        const char *q = p;
        // Invariant: the fields before q are in `fields`.
        while (n_fields < wanted) {
            while (q < end && is_blank(*q)) ++q;
            if (q == end) break;
            const char *start = q;
            while (q < end && !is_blank(*q)) ++q;
            fields[n_fields++] = std::string_view(start, static_cast<size_t>(q - start));
        }
        const bool passed_over = n_fields == 0 || fields[0].front() == '#';
        bool is_record = !passed_over && n_fields == wanted && !(keywords && is_keyword(fields[0]));
        for (size_t k = 0; is_record && k < n_numbers; ++k)
            is_record = read_double(fields[static_cast<size_t>(number_columns[k])], values[k]);
        if (is_record) {
            for (size_t k = 0; k < names.size(); ++k)
                out.codes.push_back(names[k].number(fields[k]));
            out.numbers.insert(out.numbers.end(), values.begin(), values.end());
            ++n_records;
        } else if (!passed_over) {
            out.other.insert(out.other.end(), {out.n_lines, p - text, end - text, n_records});
        }
        ++out.n_lines;
        p = end + 1;
    }
    for (const Names &column : names) {
        out.n_new.push_back(static_cast<int64_t>(column.order().size()));
        for (const std::string_view name : column.order()) {
            const int64_t start = name.data() - text;
            out.spans.push_back(start);
            out.spans.push_back(start + static_cast<int64_t>(name.size()));
        }
    }
    return out;
}

}  // namespace trueval

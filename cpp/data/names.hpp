// Names into numbers, in the order of their first appearance, without a Python object each.
//
// A table with open addressing holds the numbers; the bytes of all names lie one after
// the other. The seed of the hash is the caller's: numbers do not depend on it, and no file can
// be made so that all its names collide.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "fields.hpp"

namespace trueval {

class Names {
public:
    explicit Names(uint64_t seed) : seed_(seed), slots_(1024, -1) {}

    int64_t size() const { return static_cast<int64_t>(ends_.size()); }
    int64_t longest() const { return longest_; }  // characters of the longest name
    int64_t invalid() const { return invalid_; }  // first name that is no text, or -1

    std::string_view name(int64_t i) const {
        const int64_t start = i == 0 ? 0 : ends_[i - 1];
        return {bytes_.data() + start, static_cast<size_t>(ends_[i] - start)};
    }

    // Number of a name, a new one if it was not there.
    int32_t number(std::string_view name) {
        const uint32_t hash = hash_of(name);
        size_t mask = slots_.size() - 1, at = hash & mask;
        // Invariant: the name is in none of the slots passed; a free slot ends the search.
        while (slots_[at] >= 0) {
            const int32_t other = slots_[at];
            if (hashes_[other] == hash && this->name(other) == name) return other;
            at = (at + 1) & mask;
        }
        if (ends_.size() >= 0x7FFFFFFF) throw std::length_error("more than 2**31 - 1 names");
        const auto fresh = static_cast<int32_t>(ends_.size());
        const int64_t characters = characters_of(name);
        // NumPy cannot tell a name that ends in NUL from the one without it.
        const bool text = characters >= 0 && (name.empty() || name.back() != '\0');
        if (!text && invalid_ < 0) invalid_ = fresh;
        if (characters > longest_) longest_ = characters;
        bytes_.insert(bytes_.end(), name.begin(), name.end());
        ends_.push_back(static_cast<int64_t>(bytes_.size()));
        hashes_.push_back(hash);
        slots_[at] = fresh;
        if (2 * ends_.size() > slots_.size()) grow();
        return fresh;
    }

    // Numbers of fields; -1 for an empty one, unless that is a name too.
    std::vector<int32_t> numbers(const char *text, const int32_t *starts, const int32_t *stops,
                                 int64_t n, bool empty_too) {
        std::vector<int32_t> out(static_cast<size_t>(n), -1);
        for (int64_t i = 0; i < n; ++i)
            if (empty_too || stops[i] > starts[i])
                out[i] = number({text + starts[i], static_cast<size_t>(stops[i] - starts[i])});
        return out;
    }

    // Numbers of all names in cells of several; false at a cell with an empty name, whose
    // place is then the length of counts.
    bool split(const char *text, const int32_t *starts, const int32_t *stops, int64_t n,
               std::string_view separator, std::vector<int32_t> &counts,
               std::vector<int32_t> &out) {
        for (int64_t i = 0; i < n; ++i) {
            const size_t before = out.size();
            std::string_view rest(text + starts[i], static_cast<size_t>(stops[i] - starts[i]));
            // Invariant: out holds the names of the cell before rest.
            while (!rest.empty() || out.size() > before) {
                const size_t at = rest.find(separator);
                const std::string_view part = rest.substr(0, at);
                const std::string_view name =
                    fields::strip(part.data(), part.data() + part.size());
                if (name.empty()) return false;
                out.push_back(number(name));
                if (at == std::string_view::npos) break;
                rest.remove_prefix(at + separator.size());
            }
            counts.push_back(static_cast<int32_t>(out.size() - before));
        }
        return true;
    }

    // All names as UTF-32, each in `width` places, the rest of them 0.
    void fill(uint32_t *out, int64_t width) const {
        for (int64_t i = 0; i < size(); ++i) {
            const std::string_view text = name(i);
            uint32_t *place = out + i * width;
            for (size_t at = 0; at < text.size();) *place++ = character(text, at);
        }
    }

private:
    // The character at a place of valid UTF-8; moves the place behind it.
    static uint32_t character(std::string_view text, size_t &at) {
        const auto lead = static_cast<unsigned char>(text[at++]);
        if (lead < 0x80) return lead;
        const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
        uint32_t value = lead & (0x3F >> more);
        for (int k = 0; k < more; ++k)
            value = value << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
        return value;
    }

    // Characters of UTF-8; -1 if it is none: torn, overlong, a surrogate or out of range.
    static int64_t characters_of(std::string_view text) {
        int64_t n = 0;
        for (size_t at = 0; at < text.size(); ++n) {
            const auto lead = static_cast<unsigned char>(text[at]);
            if (lead < 0x80) {
                ++at;
                continue;
            }
            if (lead < 0xC2 || lead > 0xF4) return -1;
            const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
            if (text.size() - at <= more) return -1;
            for (size_t k = 1; k <= more; ++k)
                if ((static_cast<unsigned char>(text[at + k]) & 0xC0) != 0x80) return -1;
            const uint32_t value = character(text, at);
            const uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
            if (value < least || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return -1;
        }
        return n;
    }

    uint32_t hash_of(std::string_view text) const {
        uint64_t h = seed_ ^ (text.size() * 0x9E3779B97F4A7C15ULL);
        size_t at = 0;
        for (; at < text.size(); at += 8) {
            uint64_t word = 0;
            std::memcpy(&word, text.data() + at, text.size() - at < 8 ? text.size() - at : 8);
            h = (h ^ word) * 0xFF51AFD7ED558CCDULL;
            h ^= h >> 32;
        }
        h *= 0xC4CEB9FE1A85EC53ULL;
        return static_cast<uint32_t>(h >> 32);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), -1);
        const size_t mask = slots_.size() - 1;
        for (size_t i = 0; i < hashes_.size(); ++i) {
            size_t at = hashes_[i] & mask;
            while (slots_[at] >= 0) at = (at + 1) & mask;
            slots_[at] = static_cast<int32_t>(i);
        }
    }

    uint64_t seed_;
    std::vector<int32_t> slots_;     // numbers by hash, -1 where free
    std::vector<uint32_t> hashes_;   // of each name
    std::vector<int64_t> ends_;      // of each name in bytes_
    std::vector<char> bytes_;
    int64_t longest_ = 0, invalid_ = -1;
};

}  // namespace trueval

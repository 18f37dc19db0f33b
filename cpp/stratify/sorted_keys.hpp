// A sorted multiset with rank and select, as a list of small sorted blocks.
//
// insert, erase, rank and select cost O(block + number of blocks) cheap steps,
// i.e. about the square root of the size, with no pointers to chase.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace trueval {

template <typename Key>
class SortedKeys {
public:
    bool empty() const { return size_ == 0; }
    size_t size() const { return size_; }

    void insert(const Key &key) {
        if (blocks_.empty()) {
            blocks_.push_back({key});
            size_ = 1;
            return;
        }
        size_t b = find_block(key);
        auto &block = blocks_[b];
        block.insert(std::lower_bound(block.begin(), block.end(), key), key);
        ++size_;
        if (block.size() > 2 * kHalf) {
            std::vector<Key> upper(block.begin() + kHalf, block.end());
            block.resize(kHalf);
            blocks_.insert(blocks_.begin() + b + 1, std::move(upper));
        }
    }

    // The key must be present.
    void erase(const Key &key) {
        size_t b = find_block(key);
        auto &block = blocks_[b];
        block.erase(std::lower_bound(block.begin(), block.end(), key));
        --size_;
        if (block.empty()) blocks_.erase(blocks_.begin() + b);
    }

    // How many keys are smaller than this one.
    size_t rank(const Key &key) const {
        size_t below = 0;
        for (const auto &block : blocks_) {
            if (block.back() < key) {
                below += block.size();
            } else {
                return below + (std::lower_bound(block.begin(), block.end(), key) - block.begin());
            }
        }
        return below;
    }

    // The key with this many smaller ones; which < size().
    const Key &select(size_t which) const {
        size_t b = 0;
        while (which >= blocks_[b].size()) which -= blocks_[b++].size();
        return blocks_[b][which];
    }

private:
    static constexpr size_t kHalf = 256;
    std::vector<std::vector<Key>> blocks_;  // every block sorted, non-empty, in order
    size_t size_ = 0;

    // First block whose last key is not below `key`, else the last block.
    size_t find_block(const Key &key) const {
        auto it = std::partition_point(blocks_.begin(), blocks_.end(),
                                       [&](const auto &block) { return block.back() < key; });
        return it == blocks_.end() ? blocks_.size() - 1 : static_cast<size_t>(it - blocks_.begin());
    }
};

}  // namespace trueval

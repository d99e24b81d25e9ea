// The keys and values of the tokens so far, in the panels that the product kernel reads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attention/heads.h"
#include "base/packed_matrix.h"
#include "base/thread_pool.h"

namespace transformer {

// A full pass fills a cache at once, so that passes with and without a cache are the same computation.
//
// Keys are stored transposed, as panels of kPanel keys: [slot][head][keys / kPanel][d_k][kPanel].
// Values as panels of kPanel columns: [slot][head][d_v / kPanel][capacity][kPanel].
class KvCache {
 public:
  struct Size {
    int rows;      // sequences: batch, or batch * beams
    int heads;     // of keys and values
    int d_k;       // width of a key
    int d_v;       // width of a value
    int capacity;  // tokens per sequence
  };

  static std::size_t float_count(const Size& size);

  // Borrows float_count(size) floats. Empty at first.
  KvCache(const Size& size, float* storage);

  const Size& size() const { return size_; }
  int rows() const { return count_of(slots_); }
  int length(int row) const { return lengths_[slot(row)]; }
  int max_length() const;

  // Appends the first `count` keys and values of batch row `row` to that sequence. invalid_argument if they do not fit.
  void append(int row, int count, ConstHeads keys, ConstHeads values);
  // The same for every row.
  void append(int count, ConstHeads keys, ConstHeads values, ThreadPool& threads);

  // Row i continues the sequence that was in row parents[i], as the surviving beams of a beam search do. Copies only
  // sequences that several rows continue.
  void reorder(std::span<const int> parents, ThreadPool& threads);

  // Panels of the keys from token `first` (a multiple of kPanel), key_panel_stride() apart.
  const float* keys(int row, int head, int first) const;
  std::ptrdiff_t key_panel_stride() const { return std::ptrdiff_t{size_.d_k} * kPanel; }
  // Panels of the values from token `first`, value_panel_stride() apart.
  const float* values(int row, int head, int first) const;
  std::ptrdiff_t value_panel_stride() const { return std::ptrdiff_t{size_.capacity} * kPanel; }

 private:
  int slot(int row) const { return slots_[row]; }
  std::ptrdiff_t keys_per_head() const;
  std::ptrdiff_t values_per_head() const;
  float* slot_keys(int slot, int head) const;
  float* slot_values(int slot, int head) const;
  void require_room(int row, int count) const;
  // Appends keys or values [count, d] of one head to a slot.
  void write_keys(int slot, int head, ConstView keys);
  void write_values(int slot, int head, ConstView values);
  void copy_head(int from, int to, int head);

  Size size_;
  float* keys_;
  float* values_;
  std::vector<int> slots_;    // the slot of each row
  std::vector<int> lengths_;  // tokens in a slot

  struct Copy {
    int from;
    int to;
  };
  // Scratch memory of reorder(), kept so that a step of generation allocates nothing.
  std::vector<int> next_slots_;
  std::vector<char> taken_;
  std::vector<Copy> copies_;
};

}  // namespace transformer

// Sequences of different lengths without their padding, as PyTorch's PackedSequence: step after step, and at each step
// a row for every sequence that reaches it, the longest first. What runs at a step is the first rows of what ran
// before.
#pragma once

#include <span>
#include <vector>

#include "base/tensor.h"

namespace transformer {

// invalid_argument where there are not `batch` lengths within [0, time].
void check_lengths(std::span<const int> lengths, int batch, int time);

class PackedSequences {
 public:
  // lengths: of each of the sequences, which lie padded at the end in [batch * time] rows; none: all of `time`.
  PackedSequences(int batch, int time, std::span<const int> lengths);

  int rows() const { return begin_.back(); }                         // of all steps together
  int steps() const { return static_cast<int>(begin_.size()) - 1; }  // of the longest sequence

  // Rows of a step: [as many as reach it, cols].
  template <class T>
  MatrixView<T> at(const MatrixView<T>& packed, int step) const {
    const int begin = begin_[static_cast<std::size_t>(step)];
    return packed.row_range(begin, begin_[static_cast<std::size_t>(step) + 1] - begin);
  }

  // The real rows of [batch * time, cols] -> [rows(), cols].
  void pack(ConstView padded, View packed) const;
  // [rows(), cols] -> [batch * time, cols], zeros where a sequence has ended.
  void unpack(ConstView packed, View padded) const;

  // [batch, cols], a row for each sequence: from the caller's order to that of the packed rows, and back.
  void sort(ConstView given, View sorted) const;
  void unsort(ConstView sorted, View given) const;

 private:
  std::vector<int> order_;  // the caller's sequences, the longest first
  std::vector<int> begin_;  // the first row of every step, and their end
  int time_;
};

}  // namespace transformer

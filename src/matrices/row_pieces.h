// Puts together the rows of a matrix that comes in pieces, as a file is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"

namespace transformer {

class RowPieces {
 public:
  // Takes the elements first, first + 1, ... of a matrix [rows, depth], in row-major order, and calls store(row,
  // numbers) for each row that they complete. The pieces come in order, so that at most one row waits for its end.
  template <class Store>
  void add(std::size_t first, std::span<const float> elements, int depth, const Store& store) {
    require(first == stored_, "the rows of a quantised matrix must be stored in order: the next element is ", stored_,
            ", got ", first);
    stored_ += elements.size();
    while (!elements.empty()) {
      const int row = static_cast<int>(first / depth);
      const auto piece = elements.first(std::min(depth - begun_.size(), elements.size()));  // to the end of the row
      if (count_of(piece) == depth) {
        store(row, piece.data());
      } else {
        begun_.insert(begun_.end(), piece.begin(), piece.end());
        if (count_of(begun_) == depth) {
          store(row, begun_.data());
          begun_ = {};
        }
      }
      elements = elements.subspan(piece.size());
      first += piece.size();
    }
  }

 private:
  std::size_t stored_ = 0;    // elements stored so far
  std::vector<float> begun_;  // the partial row at their end
};

}  // namespace transformer

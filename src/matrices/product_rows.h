// The rows A of products C = A B, in each format that a matrix multiplies them in.
#pragma once

#include <array>
#include <optional>

#include "base/workspace.h"
#include "kernels/quantize_rows.h"

namespace transformer {

// The quantised rows are in the arena.
class ProductRows {
 public:
  ProductRows(ConstView a, Arena& arena, ThreadPool& threads) : a_(a), arena_(arena), threads_(threads) {}

  // Quantises the rows once, for all products that take them in that format.
  void quantize(RowFormat format) {
    std::optional<QuantizedRows>& rows = quantized_[static_cast<int>(format)];
    if (!rows) rows = quantize_rows(a_, format, arena_, threads_);
  }

  ConstView floats() const { return a_; }
  const QuantizedRows& integers(RowFormat format) const { return *quantized_[static_cast<int>(format)]; }

 private:
  ConstView a_;
  Arena& arena_;
  ThreadPool& threads_;
  std::array<std::optional<QuantizedRows>, 3> quantized_;  // by format
};

}  // namespace transformer

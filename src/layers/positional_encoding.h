// Where a token stands, added to its embedding: fixed sinusoids or a learned table.
#pragma once

#include "base/tensor.h"
#include "weights/weights.h"

namespace transformer {

// The order of the columns and the frequencies: sin and cos in turn (Vaswani et al. 2017, section 3.5); all sines
// before all cosines, as Marian has them; or that with the frequencies base^(-i / (d_model/2 - 1)), as fairseq has
// them.
enum class SinusoidLayout { kInterleaved, kHalves, kFairseq };

// Row p, pair i: sin(p / base^(2i/d_model)) and cos of the same, for positions offset <= p < offset + length.
// Computed in double precision; an odd width drops the last cosine (kFairseq: ends in a zero). -> [length, d_model]
Tensor sinusoidal_positions(int length, int d_model, double base = 10000.0, int offset = 0,
                            SinusoidLayout layout = SinusoidLayout::kInterleaved);

class PositionalEncoding {
 public:
  // The first token stands at the position `offset`.
  static PositionalEncoding sinusoidal(int max_length, int d_model, int offset, SinusoidLayout layout);
  // scope: weight [max_length, d_model]
  static PositionalEncoding learned(const WeightScope& scope, int max_length, int d_model);

  int max_length() const { return table_.axis(0); }

  // x [length, d_model] += rows first, first + 1, ... of the table. invalid_argument past its end.
  void add(View x, int first) const;

 private:
  explicit PositionalEncoding(Tensor table) : table_(std::move(table)) {}
  Tensor table_;
};

}  // namespace transformer

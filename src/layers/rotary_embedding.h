// Rotary position embedding: queries and keys turned by an angle that grows with their position (Su et al. 2021, eq.
// 15).
#pragma once

#include "base/tensor.h"

namespace transformer {

// Which two numbers of a head make a pair: neighbours (the paper), or one from each half (GPT-NeoX, Llama).
enum class RotaryLayout { kInterleaved, kHalves };

class RotaryEmbedding {
 public:
  // Angles position * base^(-2i/d_head) for pair i, in double precision. d_head must be even.
  RotaryEmbedding(int max_length, int d_head, double base, RotaryLayout layout);

  int max_length() const { return cosines_.axis(0); }

  // Turns x [length, heads * d_head] in place; row r stands at position first + r. invalid_argument past max_length.
  void rotate(View x, int first) const;

 private:
  RotaryLayout layout_;
  int d_head_;
  Tensor cosines_;  // [max_length, d_head / 2]
  Tensor sines_;
};

}  // namespace transformer

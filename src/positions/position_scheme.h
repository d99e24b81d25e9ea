// What a position scheme does to a stack of layers. Each scheme is one file of this room; nothing outside knows which.
#pragma once

#include <climits>
#include <cstddef>

#include "base/arena.h"
#include "base/tensor.h"

namespace transformer {

// Wavelengths grow geometrically up to this times 2 pi (Vaswani et al. 2017, section 3.5; Su et al. 2021, section
// 3.2.2).
inline constexpr double kWavelengthBase = 10000.0;

// A term of the scores that depends only on how far the key stands from the query:
// `centre[head * head_stride + (key position - query position)]`, or none.
struct DistanceBias {
  const float* centre = nullptr;
  std::ptrdiff_t head_stride = 0;
};

// The stack that a scheme serves.
struct StackShape {
  int d_model;
  int num_heads;
  int d_head;
  bool bidirectional;  // tokens attend to later ones too: an encoder
};

class PositionScheme {
 public:
  static constexpr int kUnlimited = INT_MAX / 2;  // the sum of two such lengths is still an int

  virtual ~PositionScheme() = default;

  // How far it reaches: the length of the longest sequence that has positions.
  virtual int max_length() const { return kUnlimited; }

  // What it adds to the input: x [time, d_model] += a row for each of the positions first, first + 1, ...
  // invalid_argument past max_length().
  virtual bool adds_to_input() const { return false; }
  virtual void add_to_input(View, int /*first*/) const {}

  // How it turns queries and keys: x [time, heads * d_head] in place; row r stands at position first + r.
  // invalid_argument past max_length().
  virtual void rotate(View, int /*first*/) const {}

  // What it adds to the scores, for all distances below `length`; valid as long as the arena's scope.
  virtual DistanceBias score_bias(int /*length*/, Arena&) const { return {}; }
};

// invalid_argument where a sequence of `length` tokens is longer than `max_length`.
void require_positions(int length, int max_length);

}  // namespace transformer

// The interface of a position scheme. Each scheme is a file in this room; code outside depends on this interface only.
#pragma once

#include <climits>
#include <cstddef>
#include <functional>

#include "base/arena.h"
#include "base/tensor.h"

namespace transformer {

// The default base: wavelengths grow geometrically up to this times 2 pi (Vaswani et al. 2017, section 3.5; Su et al.
// 2021, section 3.2.2).
inline constexpr double kWavelengthBase = 10000.0;

// A term of the scores that depends only on the distance of the key from the query:
// `centre[head * head_stride + (key position - query position)]`; none if centre is null.
struct DistanceBias {
  const float* centre = nullptr;
  std::ptrdiff_t head_stride = 0;
};

// The sizes of the stack that uses a scheme.
struct StackShape {
  int d_model;
  int num_heads;
  int d_head;
  int num_layers;
  bool bidirectional;  // tokens also attend to later ones, as in an encoder
};

class Disentangled;

class PositionScheme {
 public:
  static constexpr int kUnlimited = INT_MAX / 2;  // the sum of two such lengths is still an int

  virtual ~PositionScheme() = default;

  // The length of the longest sequence.
  virtual int max_length() const { return kUnlimited; }

  // Adds position embeddings to the input x [time, d_model], for the positions first, first + 1, ...
  // invalid_argument beyond max_length().
  virtual bool adds_to_input() const { return false; }
  virtual void add_to_input(View, int /*first*/) const {}

  // Rotates queries or keys x [time, heads * d_head] in place, for the positions first, first + 1, ...
  // columns: of the grid that the tokens form; 0: none. invalid_argument beyond max_length().
  virtual void rotate(View, int /*first*/, int /*columns*/ = 0) const {}
  // Whether the angles depend on how many positions there are, so that the rows of a sequence must be rotated at once.
  virtual bool depends_on_length() const { return false; }

  // The bias of a layer's scores, for all distances below `length`; valid until the arena's scope ends.
  virtual DistanceBias score_bias(int /*layer*/, int /*length*/, Arena&) const { return {}; }
  virtual bool differs_by_layer() const { return false; }

  // The scheme itself if it relates queries and keys to their distances, else null.
  virtual const Disentangled* disentangled() const { return nullptr; }
};

// invalid_argument if `length` exceeds `max_length`.
void require_positions(int length, int max_length);

// Numbers that follow from the position, a row for each: made as far as sequences have reached, since a config may
// allow millions of positions.
class PositionTable {
 public:
  // fill(first, rows) computes the rows of the positions first, first + 1, ...
  using Fill = std::function<void(int first, View rows)>;
  PositionTable(int max_length, int cols, Fill fill);

  int max_length() const { return max_length_; }

  // The rows of all positions below `length`, and perhaps more; valid until the next call. Not for several threads at
  // once. invalid_argument beyond max_length().
  ConstView up_to(int length) const;

 private:
  int max_length_;
  int cols_;
  Fill fill_;
  mutable Tensor rows_;
};

}  // namespace transformer

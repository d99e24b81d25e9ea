// Values on their way over the border: typed arrays copied in, typed arrays copied out, options by name.
#pragma once

#include <emscripten/val.h>

#include <string>
#include <vector>

#include "attention/mask.h"
#include "base/tensor.h"
#include "transformer/input.h"

namespace transformer::bindings {

using emscripten::val;

// { data: Float32Array, shape: number[] }. invalid_argument that names the argument where it is not that.
Tensor tensor_from_js(const val& value, const char* name);
val to_js(const Tensor& tensor);
val to_js(const std::vector<Tensor>& tensors);
val to_js(const std::vector<int>& ids);  // -> Int32Array

std::vector<int> ints_from_js(const val& array);

// An object of optional fields.
class Options {
 public:
  explicit Options(val object) : object_(std::move(object)) {}

  bool has(const char* name) const;
  bool flag(const char* name, bool fallback = false) const;
  double number(const char* name, double fallback) const;
  int integer(const char* name, int fallback) const;
  std::string text(const char* name, const char* fallback) const;
  val raw(const char* name) const { return object_[name]; }

  // An empty tensor where the field is missing.
  Tensor tensor(const char* name) const;
  // A tensor of 0 and 1, where 1 may be attended to, as a term for the scores: -inf and 0.
  Tensor mask(const char* name) const;
  // A term for the scores; -inf is fine, NaN and +inf are not.
  Tensor bias(const char* name) const;

 private:
  val object_;
};

// How `term` is added to scores of shape [batch, heads, queries, keys]: its axes are matched from the right, an axis of
// 1 is repeated. invalid_argument where they do not match. An empty term adds nothing.
ScoreBias broadcast_bias(const Tensor& term, const char* name, const Shape& scores);

// The axes that two shapes have together; an axis of 1 is repeated.
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* what);

// `x` with its leading axes, all but the last `kept`, repeated to be `leading`.
Tensor broadcast_leading(Tensor x, const Shape& leading, int kept, const char* name);

// A mask and the tensors that it points into.
struct OwnedMask {
  Tensor padding;
  Tensor mask;
  Tensor bias;
  Mask view;
};

// The names under which a call's options hold the parts of one mask.
struct MaskNames {
  const char* mask = "mask";
  const char* bias = "bias";
  const char* padding = "keyPaddingMask";
};

// scores [batch, heads, queries, keys]
OwnedMask mask_from_js(const Options& options, const MaskNames& names, const Shape& scores);

// Token ids { data: Int32Array, shape: [batch, time] } or embeddings [batch, time, d_model]; without the batch axis it
// is a batch of one.
struct OwnedSequences {
  std::vector<int> ids;
  std::vector<int> token_types;
  Tensor vectors;
  Sequences view;
  bool batched = true;

  // [batch, time, width], or without the batch where none was given
  Shape shape_with(int width) const;
};

OwnedSequences sequences_from_js(const val& value, const char* name, bool takes_ids, int d_model);

}  // namespace transformer::bindings

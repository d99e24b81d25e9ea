#include "attention/mask.h"

#include <cmath>

namespace transformer {

Tensor mask_to_bias(Tensor mask, const char* name) {
  for (float* value = mask.data(); value != mask.data() + mask.size(); ++value) {
    require(*value == 0.0f || *value == 1.0f, name, " must hold 0 and 1 (1 = may attend), got ", *value,
            "; values to be added to the scores belong in the bias");
    *value = *value == 1.0f ? 0.0f : kForbidden;
  }
  return mask;
}

Tensor checked_bias(Tensor bias, const char* name) {
  for (std::size_t i = 0; i < bias.size(); ++i) {
    const float value = bias.data()[i];
    require(!std::isnan(value) && value < -kForbidden, name, " must hold finite numbers or -infinity, got ", value,
            " at element ", i);
  }
  return bias;
}

ScoreBias broadcast_bias(const Tensor& term, const char* name, const Shape& scores) {
  if (term.empty()) return {};
  const Shape& shape = term.shape();
  std::ptrdiff_t strides[4] = {};
  std::ptrdiff_t stride = 1;
  const int axes = count_of(shape);
  bool fits = axes <= 4;
  for (int i = 1; fits && i <= axes; ++i) {
    const int axis = shape[axes - i];
    const int wanted = scores[4 - i];
    fits = axis == 1 || axis == wanted;
    strides[4 - i] = axis == 1 ? 0 : stride;
    stride *= axis;
  }
  require(fits, name, " of shape ", to_string(shape),
          " does not broadcast to [batch, heads, queries, keys] = ", to_string(scores));
  return {term.data(), strides[0], strides[1], strides[2], strides[3]};
}

namespace {

// [batch * heads, queries, keys], PyTorch's shape of a mask for each head -> [batch, heads, queries, keys]
Tensor split_heads(Tensor mask, const Shape& scores) {
  const Shape& shape = mask.shape();
  const bool merged = shape.size() == 3 && scores[0] > 1 && shape[0] == scores[0] * scores[1];
  if (!merged) return mask;
  const Shape split = {scores[0], scores[1], shape[1], shape[2]};
  return std::move(mask).reshaped(split);
}

ScoreBias padding_bias(const Tensor& padding, const char* name, const Shape& scores) {
  if (padding.empty()) return {};
  const int batch = scores[0];
  const int keys = scores[3];
  const bool fits = padding.shape() == Shape{batch, keys} || (batch == 1 && padding.shape() == Shape{keys});
  require(fits, name, " must have the shape [batch, keys] = ", to_string({batch, keys}), ", got ",
          to_string(padding.shape()));
  return {.data = padding.data(), .batch = keys, .key = 1};
}

}  // namespace

OwnedMask make_mask(MaskTensors tensors, const MaskNames& names, const Shape& scores) {
  OwnedMask owned;
  owned.tensors.padding = mask_to_bias(std::move(tensors.padding), names.padding);
  owned.tensors.mask = split_heads(mask_to_bias(std::move(tensors.mask), names.mask), scores);
  owned.tensors.bias = split_heads(checked_bias(std::move(tensors.bias), names.bias), scores);
  owned.view.padding = padding_bias(owned.tensors.padding, names.padding, scores);
  owned.view.mask = broadcast_bias(owned.tensors.mask, names.mask, scores);
  owned.view.bias = broadcast_bias(owned.tensors.bias, names.bias, scores);
  return owned;
}

}  // namespace transformer

// Hidden states -> logits: a score for every token of the vocabulary.
#pragma once

#include <span>

#include "layers/linear.h"

namespace transformer {

class OutputProjection {
 public:
  // scale: multiplies the hidden states before the projection; cap: of the logits, cap * tanh(logit / cap), 0: none
  OutputProjection(Linear linear, float scale, float cap) : linear_(std::move(linear)), scale_(scale), cap_(cap) {}

  int vocab() const { return linear_.out_features(); }

  // A projection to these tokens only, in this order. Copies their weights, so that a step reads no others.
  OutputProjection select(std::span<const int> ids) const { return {linear_.select(ids), scale_, cap_}; }

  // hidden [rows, d_model] -> logits [rows, vocab()]
  void forward(ConstView hidden, View logits, Workspace& workspace) const;

 private:
  Linear linear_;
  float scale_;
  float cap_;
};

}  // namespace transformer

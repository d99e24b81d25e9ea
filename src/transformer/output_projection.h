// From the decoder's last states to a logit for every token.
#pragma once

#include <span>

#include "layers/linear.h"

namespace transformer {

class OutputProjection {
 public:
  // scale: of the states, before they are projected
  OutputProjection(Linear linear, float scale) : linear_(std::move(linear)), scale_(scale) {}

  int vocab() const { return linear_.out_features(); }

  // Of these tokens alone, in this order: a copy of their weights, so that a step reads no others.
  OutputProjection select(std::span<const int> ids) const { return {linear_.select(ids), scale_}; }

  // hidden [rows, d_model] -> logits [rows, vocab()]
  void forward(ConstView hidden, View logits, Workspace& workspace) const;

 private:
  Linear linear_;
  float scale_;
};

}  // namespace transformer

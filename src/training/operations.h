// The operations of the layers on values of a tape, each with its gradient. What they compute going forward is what the
// layers of inference compute, with the same kernels.
#pragma once

#include <span>

#include "base/segments.h"
#include "kernels/activation.h"
#include "layers/norm.h"
#include "positions/rotary.h"
#include "training/tape.h"

namespace transformer::training {

// Rows of the table [vocab, d_model], times the scale. The ids must live as long as the tape.
Value embed(Tape& tape, Parameter& table, std::span<const int> ids, float scale);

// x W^T + b, where bias may be null.
Value linear(Tape& tape, Value x, Parameter& weight, Parameter* bias);

// Along each row; bias may be null.
Value norm(Tape& tape, Value x, const NormConfig& config, Parameter& weight, Parameter* bias);

Value activate(Tape& tape, Value x, Activation activation);

// Elementwise.
Value multiply(Tape& tape, Value a, Value b);
// a + factor b
Value add(Tape& tape, Value a, Value b, float factor = 1.0f);
Value scale(Tape& tape, Value x, float factor);

// Rotary positions.
struct Rotation {
  Rotation(const RotaryPositions& settings, int head) : config(settings), d_head(head), rotary(head, settings) {}

  RotaryPositions config;
  int d_head;
  Rotary rotary;
};

// x [tokens, heads * d_head] rotated by the positions of the tokens in their sequences. The rotation must live as long
// as the tape.
Value rotate(Tape& tape, Value x, const Rotation& rotation, const Segments& tokens);

// x + the rows of a table for the positions 0, 1, ... of each sequence. The table's gradient may be that of a constant.
Value add_positions(Tape& tape, Value x, Value table, const Segments& tokens);

// The same numbers in rows of another width.
Value with_width(Value x, int width);

// The mean over the rows whose target is not negative of the cross-entropy between the row's softmax and a target that
// has 1 - smoothing on its id and the rest evenly on all ids (Szegedy et al. 2016, section 7). correct: of these rows,
// how many have their greatest logit there.
struct Loss {
  double mean = 0;
  int targets = 0;
  int correct = 0;
};
Loss cross_entropy(Tape& tape, Value logits, std::span<const int> targets, float smoothing);

}  // namespace transformer::training

// The hidden states that a head of whole sequences reads.
#pragma once

#include "attention/mask.h"
#include "transformer/input.h"
#include "transformer/output_head.h"

namespace transformer {

// The last states of a stack, and where they come from.
struct HeadSource {
  ConstView hidden;         // [rows of all sequences, d_model]
  Segments states;          // which of its rows are of which sequence
  const Sequences& source;  // whose ids tell where the head reads
  ScoreBias padding = {};   // of the source; none: all tokens are real
  ConstView pooled = {};    // [batch, d_model] of the attention pool, if there is one
};

// -> [batch, in_features], for a head that is_per_sequence(). invalid_argument for a sequence without such a state.
Tensor states_for(const OutputHead& head, const HeadSource& from);

}  // namespace transformer

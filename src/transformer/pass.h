// One teacher-forced pass through a whole model: the encoder, the decoder fed with a given target, and what stands on
// them.
#pragma once

#include <vector>

#include "transformer/transformer.h"

namespace transformer {

// What goes into each stack that the model has. Sequences are batches as the stacks take them.
struct PassInput {
  Sequences source = {};
  Sequences target = {};
  Mask source_mask = {};  // of the encoder's self-attention
  DecoderMasks target_masks = {};
  // [batch * source, d_model], which becomes the memory; it may hold the source's vectors. Made where it is empty.
  Tensor memory = {};
};

// What comes out; a tensor is empty where the model has no such result. Rows are batch * time.
struct PassOutput {
  Tensor memory;         // [batch * source, d_model]: the encoder's last states
  Tensor hidden;         // [batch * target, d_model]: the decoder's last states
  Tensor logits;         // [batch * time, vocab], or [batch, ...] from a head on the first state alone
  Tensor pooler_output;  // [batch, d_model]
};

// Observable: what both stacks show, and decoder.layers.i.logits: what the model would predict if layer i were its
// last, through the final norm and the output projection (nostalgebraist 2020, "the logit lens").
PassOutput run_pass(const Transformer& model, PassInput input, Workspace& workspace);

// The encoder alone -> memory [batch * time, d_model]; `memory` as PassInput has it.
Tensor run_encoder(const Transformer& model, const Sequences& source, const Mask& mask, Tensor memory,
                   Workspace& workspace);

// The decoder over a target and the memory, which is empty for a decoder alone -> hidden [batch * time, d_model].
Tensor run_decoder(const Transformer& model, const Sequences& target, const Memory& memory, const DecoderMasks& masks,
                   Workspace& workspace);

// Hidden states [rows, d_model] -> logits [rows, vocab].
Tensor project(const Transformer& model, ConstView hidden, Workspace& workspace);

}  // namespace transformer

// One teacher-forced pass through a whole model: the encoder, the decoder over a given target, and the heads.
#pragma once

#include <vector>

#include "transformer/transformer.h"

namespace transformer {

// The inputs of the model's stacks.
struct PassInput {
  Sequences source = {};
  Sequences target = {};
  Mask source_mask = {};  // for the encoder's self-attention
  DecoderMasks target_masks = {};
  // Padding at the end of sources, by the source mask, is not computed: its states and logits are zeros. Not with an
  // observer.
  bool skips_padding = false;
  bool skips_logits = false;  // the model ends with its last hidden states
  // Storage for the result [batch * source, memory_width], which may hold the source's vectors; empty: it is allocated.
  Tensor memory = {};
};

// A tensor is empty where the model has no such output.
struct PassOutput {
  Tensor memory;         // [batch * source, memory_width]: the encoder's output
  Tensor hidden;         // [batch * target, d_model]: the decoder's output
  Tensor logits;         // [batch * time, vocab], or [batch, out_features] from a head on the first state
  Tensor pooler_output;  // [batch, d_model]
  Tensor embeds;         // [batch, out_features]: the logits at length 1, of a model whose vectors are compared
};

// Observable: what Encoder and Decoder list, and decoder.layers.i.logits, the model's prediction if layer i were its
// last: the layer's output through the final norm and the output projection (nostalgebraist 2020, "the logit lens").
PassOutput run_pass(const Transformer& model, PassInput input, Workspace& workspace);

// The encoder alone -> memory [batch * time, memory_width]. memory: as in PassInput.
Tensor run_encoder(const Transformer& model, const Sequences& source, const Mask& mask, Tensor memory,
                   Workspace& workspace);

// The decoder alone -> hidden [batch * time, d_model]. memory: empty in a decoder-only model.
Tensor run_decoder(const Transformer& model, const Sequences& target, const Memory& memory, const DecoderMasks& masks,
                   Workspace& workspace);

}  // namespace transformer

// Passes of a whole model over whole tensors, with or without the batch axis. Each function throws invalid_argument, in
// the user's names, for inputs and masks that do not fit.
#pragma once

#include "transformer/input_tensor.h"
#include "transformer/pass.h"
#include "transformer/sentence_pooling.h"

namespace transformer {

struct EncodeCall {
  InputTensor src;  // ids [batch, source], or vectors [batch, source, d_model]
  MaskTensors masks;
  bool is_causal = false;
  MediaTensors media = {};  // in place of src, for a model with a front end
};

// The encoder alone -> memory [batch, source, d_model]
Tensor encode(const Transformer& model, EncodeCall call, Workspace& workspace);

struct DecodeCall {
  InputTensor tgt;     // ids [batch, target], or vectors [batch, target, d_model]
  InputTensor memory;  // [batch, source, d_model]; unused in a decoder-only model
  MaskTensors masks;
  MaskTensors memory_masks;
  bool is_causal = true;
};

// One of the two; the other is empty.
struct DecodeResult {
  Tensor output;  // [batch, target, d_model], of a model without an output projection
  Tensor logits;  // [batch, target, vocab]
};

// The decoder alone, over a target and a memory.
DecodeResult decode(const Transformer& model, DecodeCall call, Workspace& workspace);

struct ForwardCall {
  InputTensor src;  // unused in a decoder-only model
  InputTensor tgt;  // unused in an encoder-only model
  MaskTensors src_masks;
  MaskTensors tgt_masks;
  MaskTensors memory_masks;
  bool is_causal = false;      // of the last stack
  bool skips_padding = false;  // as in PassInput
  bool skips_logits = false;
  int columns = 0;             // of the grid that the source's tokens form; 0: none
  MediaTensors media = {};     // in place of src, for a model with a front end
  Tensor others = {};          // vectors [others, width] to compare with the logits, for a model with a contrast
  SentenceCall sentence = {};  // one vector of each text, in place of the last hidden states
  const OutputHead* sentence_steps = nullptr;  // what follows their pooling
};

// Empty where the model has no such output.
struct ForwardResult {
  Tensor output;          // of the last stack: [batch, time, d_model]; empty for a decoder with an output projection
  Tensor logits;          // [batch, time, vocab], or [batch, out_features] from a head on the first state
  Tensor pooler_output;   // [batch, d_model]
  Tensor encoder_output;  // of an encoder-decoder: [batch, source, d_model]
  Tensor embeds;          // [batch, out_features]: the logits at length 1, or the vectors of texts
  Tensor similarities;    // [batch, others], of each of them and each of the others
  Tensor transposed;      // [others, batch]: the same
  Tensor media_mask;      // [batch, source]: which of the media's vectors are real
  Grid grid = {0, 0};     // of patches; 0: they form none, or each picture has its own
};

// The whole model: run_pass() over tensors.
ForwardResult forward(const Transformer& model, ForwardCall call, Workspace& workspace);

}  // namespace transformer

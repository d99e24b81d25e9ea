// The whole transformer, as JavaScript holds it: its passes.
#pragma once

#include "context.h"
#include "transformer/transformer.h"

namespace transformer::bindings {

struct ResidentTransformer {
  ResidentTransformer(Context& owner, WeightsInput& weights, const TransformerConfig& config)
      : context(owner.shared_from_this()),
        model(weights.complete(), config),
        parameter_count(model.parameter_count()),
        weight_bytes(weights.complete().bytes_taken()) {}

  Workspace workspace(Probe* probe = nullptr) { return {arena, context->threads, probe, {}}; }

  std::shared_ptr<Context> context;
  Transformer model;
  std::size_t parameter_count;
  std::size_t weight_bytes;  // memory of them
  Arena arena;
};

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const val& config, WeightsInput& weights);

// src -> memory, a tensor
val encode(ResidentTransformer& transformer, const val& src, const val& options);
// tgt, memory -> { output } or { logits }
val decode(ResidentTransformer& transformer, const val& tgt, const val& memory, const val& options);
// One teacher-forced pass. With a decoder -> { output or logits, encoderOutput? }; an encoder alone -> { output,
// logits?, poolerOutput? }; and attentions, hidden states and traced tensors where they are asked for, or a profile
// in place of them.
val forward(ResidentTransformer& transformer, const val& src, const val& tgt, const val& options);

}  // namespace transformer::bindings

// The whole transformer and its generation, as JavaScript holds them.
#pragma once

#include "context.h"
#include "generation/generator.h"

namespace transformer::bindings {

struct ResidentTransformer {
  ResidentTransformer(Context& owner, WeightsInput& weights, const TransformerConfig& config)
      : context(owner.shared_from_this()),
        model(weights.complete(), config),
        parameter_count(model.parameter_count()) {}

  Workspace workspace(Probe* probe = nullptr) { return {arena, context->threads, probe, {}}; }

  std::shared_ptr<Context> context;
  Transformer model;
  std::size_t parameter_count;
  Arena arena;
};

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const val& config, WeightsInput& weights);

// src -> memory, a tensor
val encode(ResidentTransformer& transformer, const val& src, const val& options);
// tgt, memory -> { output } or { logits }
val decode(ResidentTransformer& transformer, const val& tgt, const val& memory, const val& options);
// One teacher-forced pass -> { output or logits, encoderOutput, attentions and hidden states where asked for }
val forward(ResidentTransformer& transformer, const val& src, const val& tgt, const val& options);

// A generation in progress. It keeps its model alive.
struct Generation {
  std::shared_ptr<ResidentTransformer> transformer;
  Generator generator;
};

std::shared_ptr<Generation> generate(std::shared_ptr<ResidentTransformer> transformer, const val& input,
                                     const val& options);
// Steps until `milliseconds` have gone, at least one -> { done, certain: Int32Array[] }
val advance(Generation& generation, double milliseconds);
// For every input its hypotheses, best first: { ids, score, tokenScores }
val results(const Generation& generation);

}  // namespace transformer::bindings

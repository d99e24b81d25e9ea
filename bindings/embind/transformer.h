// A whole transformer as JavaScript holds it.
#pragma once

#include <string>
#include <vector>

#include "base/profiler.h"
#include "context.h"
#include "js.h"
#include "transformer/transformer.h"

namespace transformer::bindings {

struct ResidentTransformer {
  ResidentTransformer(Context& owner, WeightsLoader& weights, const TransformerConfig& config)
      : context(owner.shared_from_this()),
        model(weights.complete(), config),
        weight_bytes(static_cast<double>(weights.complete().bytes_taken())) {}

  Workspace workspace() { return {arena, context->threads}; }

  std::shared_ptr<Context> context;
  Transformer model;
  double weight_bytes;  // memory of the weights
  Arena arena;
  std::vector<std::string> paths;  // of the observable tensors; filled by paths_of()
};

// The model's observable paths, found on the first call.
const std::vector<std::string>& paths_of(ResidentTransformer& transformer);

// A factor for the outputs of the heads that a pattern matches.
struct HeadFactor {
  std::string head;  // "decoder.layers.1.cross.3"
  float factor = 1.0f;
};

// As head_factors(): for each layer concerned, the factors of all its heads. invalid_argument for an unknown head.
HeadFactors head_factors_of(ResidentTransformer& transformer, const std::vector<HeadFactor>& heads);

struct ProfiledPart {
  std::string path;
  double flops = 0;
  double weight_bytes = 0;
  double state_bytes = 0;
  double milliseconds = 0;
};

std::vector<ProfiledPart> parts_of(const Profiler& profiler);

}  // namespace transformer::bindings

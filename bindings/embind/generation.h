// Generation in progress, as JavaScript holds it.
#pragma once

#include "base/profile.h"
#include "generation/generator.h"
#include "model.h"
#include "pass_probe.h"

namespace transformer::bindings {

// Keeps its model alive.
struct Generation {
  Generation(std::shared_ptr<ResidentTransformer> model, const GenerationInput& input,
             const GenerationOptions& generation_options, const Options& options)
      : transformer(std::move(model)),
        probe(options),
        generator(transformer->model, input, generation_options, transformer->context->threads,
                  options.flag("profile") ? static_cast<Probe*>(&profile)
                  : probe.is_needed()     ? &probe
                                          : nullptr) {}

  std::shared_ptr<ResidentTransformer> transformer;
  PassProbe probe;
  Profile profile;  // takes the probe's place where it is asked for
  Generator generator;
};

// input: { sources?: Int32Array[] | sourceVectors?: tensor [batch, time, d_model], prompts: Int32Array[],
// padding?: Int32Array }
std::shared_ptr<Generation> generate(std::shared_ptr<ResidentTransformer> transformer, const val& input,
                                     const val& options);
// Steps until `milliseconds` have gone, at least one -> { done, certain: Int32Array[] }
val advance(Generation& generation, double milliseconds);
// For every input its hypotheses, best first: { ids, score, tokenScores }
val results(const Generation& generation);

}  // namespace transformer::bindings

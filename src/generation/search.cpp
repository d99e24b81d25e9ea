#include "generation/search.h"

#include <limits>

#include "generation/beam_search.h"
#include "generation/sampler.h"

namespace transformer {

void require_finite(float greatest_logit) {
  if (greatest_logit < std::numeric_limits<float>::infinity()) return;  // false for NaN too
  fail(ErrorCode::kBadCheckpoint, "the model's logits are not finite: its weights overflow float32");
}

std::unique_ptr<Search> make_search(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens) {
  if (options.num_beams > 1) return std::make_unique<BeamSearch>(options, std::move(prompt), max_new_tokens);
  return std::make_unique<Sampler>(options, std::move(prompt), max_new_tokens);
}

}  // namespace transformer

#include "generation/search.h"

#include "generation/beam_search.h"
#include "generation/sampler.h"

namespace transformer {

std::unique_ptr<Search> make_search(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens) {
  if (options.num_beams > 1) return std::make_unique<BeamSearch>(options, std::move(prompt), max_new_tokens);
  return std::make_unique<Sampler>(options, std::move(prompt), max_new_tokens);
}

}  // namespace transformer

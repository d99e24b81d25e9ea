#include "generation/make_search.h"

#include "generation/beam_search.h"
#include "generation/group_beam_search.h"
#include "generation/sampler.h"

namespace transformer {

std::unique_ptr<Search> make_search(const GenerationOptions& options, SearchInput input) {
  if (options.num_beam_groups > 1) return std::make_unique<GroupBeamSearch>(options, std::move(input));
  if (options.num_beams > 1) return std::make_unique<BeamSearch>(options, std::move(input));
  return std::make_unique<Sampler>(options, std::move(input));
}

}  // namespace transformer

// Which search the options ask for.
#pragma once

#include <memory>

#include "generation/search.h"

namespace transformer {

// A beam search, or greedy or sampled sequences, by the options.
std::unique_ptr<Search> make_search(const GenerationOptions& options, SearchInput input);

}  // namespace transformer

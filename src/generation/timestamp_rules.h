// The rules by which Whisper writes timestamps (Radford et al. 2022, section 2.3): at the start and the end of every
// segment, never going back.
#pragma once

#include <span>

#include "generation/options.h"

namespace transformer {

// scores [vocab] in place; the score of a forbidden token becomes kForbidden. written: the generated ids so far.
void apply_timestamp_rules(const GenerationOptions& options, std::span<const int> written, std::span<float> scores);

}  // namespace transformer

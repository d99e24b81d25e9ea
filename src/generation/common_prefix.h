// What several sequences begin with.
#pragma once

#include "generation/sequence_model.h"

namespace transformer {

// Feeds what all prompts begin with once, so that it is remembered when they begin: whole pages, but for the last token
// of each prompt. Nothing without a memory for it.
void feed_common_prefix(const SequenceModel& model, const GenerationInput& input, Workspace& workspace);

}  // namespace transformer

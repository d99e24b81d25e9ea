// Log-probabilities of texts that are given.
#pragma once

#include <vector>

#include "generation/search.h"
#include "generation/sequence_model.h"

namespace transformer {

// The texts with the log-probability of each of their tokens after prompts[i] (or its source) and the tokens before it,
// and their sums: those that greedy decoding reports for the same tokens, to the last bit. All texts are read in one
// pass.
std::vector<Hypothesis> score_texts(const SequenceModel& model, const GenerationInput& input,
                                    const std::vector<std::vector<int>>& texts, Workspace& workspace);

}  // namespace transformer

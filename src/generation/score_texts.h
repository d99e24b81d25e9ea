// Log-probabilities of texts that are given.
#pragma once

#include <vector>

#include "generation/sequence_model.h"

namespace transformer {

// The log-probability of each token of texts[i] after prompts[i] (or its source) and the tokens before it: those that
// greedy decoding reports for the same tokens, to the last bit. All texts are read in one pass.
std::vector<std::vector<float>> score_texts(const SequenceModel& model, const GenerationInput& input,
                                            const std::vector<std::vector<int>>& texts, Workspace& workspace);

}  // namespace transformer

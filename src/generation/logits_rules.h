// Rules that forbid or discourage tokens before one is chosen.
#pragma once

#include <span>

#include "generation/options.h"

namespace transformer {

// scores [vocab] in place: logits, or log-probabilities in a beam search; a forbidden token gets -inf.
// tokens: the whole sequence so far with its prompt, of prompt_length tokens; max_new_tokens: what this sequence may
// grow. The rules run in the order of the Python library: repetition penalty (Keskar et al. 2019, section 4.1),
// n-grams, bad words, minimal length, forced first and last token, suppressed tokens, renormalisation.
void apply_logits_rules(const GenerationOptions& options, std::span<const int> tokens, int prompt_length,
                        int max_new_tokens, std::span<float> scores);

}  // namespace transformer

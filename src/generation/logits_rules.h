// Rules that forbid or discourage tokens before one is chosen.
#pragma once

#include <span>

#include "generation/shortlist.h"

namespace transformer {

// The scores of the tokens that may come next: logits, or log-probabilities in a beam search.
struct TokenScores {
  std::span<float> columns;
  const Shortlist& shortlist;  // what the columns are

  // Does nothing for a token without a column, which is never chosen anyway.
  template <class F>
  void change(int id, const F& f) const {
    const int column = shortlist.column(id);
    if (column >= 0) f(columns[static_cast<std::size_t>(column)]);
  }
  void set(int id, float score) const {
    change(id, [score](float& value) { value = score; });
  }
};

// In place; a forbidden token gets -inf.
// tokens: the whole sequence so far with its prompt, of prompt_length tokens; max_new_tokens: what this sequence may
// grow. The rules run in the order of the Python library: repetition penalty (Keskar et al. 2019, section 4.1),
// n-grams, bad words, minimal length, forced first and last token, suppressed tokens, renormalisation.
void apply_logits_rules(const GenerationOptions& options, std::span<const int> tokens, int prompt_length,
                        int max_new_tokens, TokenScores scores);

}  // namespace transformer

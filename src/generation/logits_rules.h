// Rules that forbid or discourage tokens before the next one is chosen.
#pragma once

#include <span>

#include "generation/shortlist.h"

namespace transformer {

// The scores of the next token: logits, or log-probabilities in a beam search.
struct TokenScores {
  std::span<float> columns;
  const Shortlist& shortlist;  // maps columns to token ids

  // Does nothing for a token that has no column: it is not on the shortlist.
  template <class F>
  void change(int id, const F& f) const {
    const int column = shortlist.column(id);
    if (column >= 0) f(columns[column]);
  }
  void set(int id, float score) const {
    change(id, [score](float& value) { value = score; });
  }
};

// In place; the score of a forbidden token becomes kForbidden.
// ids: the sequence so far, with its prompt of prompt_length ids; max_new_tokens: of this sequence. The rules are
// applied in the order of Hugging Face's transformers: repetition penalty (Keskar et al. 2019, section 4.1), n-grams,
// bad words, minimum length, forced first and last token, suppressed tokens, timestamps, renormalisation.
void apply_logits_rules(const GenerationOptions& options, std::span<const int> ids, int prompt_length,
                        int max_new_tokens, TokenScores scores);

}  // namespace transformer

// Rules that forbid or discourage tokens before the next one is chosen.
#pragma once

#include <span>

#include "generation/grammar.h"
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

// The sequence that the next token continues.
struct RuleContext {
  std::span<const int> ids;  // so far, with its prompt
  int prompt_length;
  int max_new_tokens;
  std::span<const int> source = {};           // the encoder's ids, or the prompt
  std::span<const int> rewarded_source = {};  // the ids that the encoder's repetition penalty applies to
  std::span<const int> allowed = {};          // the only ids that can be chosen; empty: all
  std::span<const int> elsewhere = {};        // what earlier groups of beams chose in this step
  GrammarStates* form = nullptr;              // that the text keeps to, and its state after the ids
  int form_state = GrammarStates::kStart;
};

// In place; the score of a forbidden token becomes kForbidden. The rules are applied in the order of Hugging Face's
// transformers: sequence bias, diversity (Vijayakumar et al. 2018), repetition penalties (Keskar et al. 2019, section
// 4.1), n-grams, bad words, minimum length, allowed ids, the form, forced first and last token, invalid values, length
// penalty, suppressed tokens, timestamps, forced tokens, renormalisation.
void apply_logits_rules(const GenerationOptions& options, const RuleContext& context, TokenScores scores);

}  // namespace transformer

#include "generation/logits_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/forbidden.h"
#include "base/power.h"
#include "generation/timestamp_rules.h"
#include "kernels/softmax.h"

namespace transformer {

namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

void add_sequence_bias(const GenerationOptions& options, std::span<const int> ids, TokenScores scores) {
  for (const std::vector<double>& sequence : options.sequence_bias) {
    const int before = count_of(sequence) - 2;  // ids before the last one
    if (before > count_of(ids) || !std::equal(ids.end() - before, ids.end(), sequence.begin())) continue;
    scores.change(static_cast<int>(sequence[before]),
                  [&](float& score) { score += static_cast<float>(sequence.back()); });
  }
}

void penalize_repetition(float penalty, std::span<const int> ids, TokenScores scores) {
  std::vector<int> seen(ids.begin(), ids.end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (int id : seen) {
    scores.change(id, [penalty](float& score) { score = score > 0 ? score / penalty : score * penalty; });
  }
}

// Forbids every token that would complete an n-gram of `text`.
void forbid_ngrams(int n, std::span<const int> text, std::span<const int> ids, TokenScores scores) {
  if (n == 0 || count_of(ids) + 1 < n) return;
  const auto suffix = ids.last(n - 1);
  for (int start = 0; start + n <= count_of(text); ++start) {
    if (std::equal(suffix.begin(), suffix.end(), text.begin() + start)) scores.set(text[start + n - 1], kForbidden);
  }
}

void forbid_bad_words(const GenerationOptions& options, std::span<const int> ids, TokenScores scores) {
  const std::vector<int>& eos = options.eos_token_ids;
  for (const std::vector<int>& words : options.bad_words_ids) {
    const int before = count_of(words) - 1;
    if (before > count_of(ids)) continue;
    // An end token alone stays allowed, or no sequence could end.
    if (before == 0 && std::find(eos.begin(), eos.end(), words.front()) != eos.end()) continue;
    if (std::equal(words.begin(), words.end() - 1, ids.last(before).begin())) scores.set(words.back(), kForbidden);
  }
}

void force(int id, TokenScores scores) {
  std::fill(scores.columns.begin(), scores.columns.end(), kForbidden);
  scores.set(id, 0.0f);
}

// Forbids all other ids.
void keep_only(std::span<const int> ids, TokenScores scores) {
  std::vector<float> kept;
  for (int id : ids) scores.change(id, [&](float& score) { kept.push_back(score); });
  std::fill(scores.columns.begin(), scores.columns.end(), kForbidden);
  auto next = kept.begin();
  for (int id : ids) scores.change(id, [&](float& score) { score = *next++; });
}

// Forbids what cannot follow in the form, and the end tokens unless it may end.
void keep_to_form(const GenerationOptions& options, const RuleContext& context, int left, TokenScores scores) {
  GrammarStates& form = *context.form;
  std::vector<float> ends;
  const bool may_end = form.may_end(context.form_state);
  for (int id : options.eos_token_ids) scores.change(id, [&](float& score) { ends.push_back(score); });
  const std::vector<std::uint32_t>& allowed = form.allowed(context.form_state, left);
  for (int column = 0; column < count_of(scores.columns); ++column) {
    const unsigned id = static_cast<unsigned>(scores.shortlist.id(column));
    if (id / 32 >= allowed.size() || !(allowed[id / 32] >> id % 32 & 1)) scores.columns[column] = kForbidden;
  }
  auto next = ends.begin();
  for (int id : options.eos_token_ids) scores.change(id, [&](float& score) { score = may_end ? *next++ : kForbidden; });
}

void remove_invalid(std::span<float> scores) {
  for (float& score : scores) score = std::isnan(score) ? 0.0f : std::clamp(score, -kLargest, kLargest);
}

// After `start` tokens, the score of an end token grows by a part of its size that grows exponentially.
void hasten_end(const GenerationOptions& options, int generated, TokenScores scores) {
  const std::vector<double>& penalty = options.exponential_decay_length_penalty;
  if (penalty.empty() || generated <= penalty[0]) return;
  const double exact = power(penalty[1], generated - penalty[0]) - 1.0;
  const float growth = static_cast<float>(std::min<double>(exact, kLargest));
  for (int id : options.eos_token_ids) {
    scores.change(id, [growth](float& score) {
      if (score != kForbidden) score = std::min(score + std::abs(score) * growth, kLargest);
    });
  }
}

}  // namespace

void apply_logits_rules(const GenerationOptions& options, const RuleContext& context, TokenScores scores) {
  const auto& ids = context.ids;
  const int length = count_of(ids), generated = length - context.prompt_length;
  add_sequence_bias(options, ids, scores);
  for (int id : context.elsewhere) scores.change(id, [&](float& score) { score -= options.diversity_penalty; });
  if (options.encoder_repetition_penalty != 1.0f) {
    penalize_repetition(1.0f / options.encoder_repetition_penalty, context.rewarded_source, scores);
  }
  if (options.repetition_penalty != 1.0f) penalize_repetition(options.repetition_penalty, ids, scores);
  forbid_ngrams(options.no_repeat_ngram_size, ids, ids, scores);
  forbid_ngrams(options.encoder_no_repeat_ngram_size, context.source, ids, scores);
  forbid_bad_words(options, ids, scores);
  if (generated < options.min_new_tokens) {
    for (int id : options.eos_token_ids) scores.set(id, kForbidden);
  }
  if (!context.allowed.empty()) keep_only(context.allowed, scores);
  if (context.form) keep_to_form(options, context, context.max_new_tokens - generated, scores);
  if (options.forced_bos_token_id >= 0 && length == 1) force(options.forced_bos_token_id, scores);
  if (options.forced_eos_token_id >= 0 && generated == context.max_new_tokens - 1) {
    force(options.forced_eos_token_id, scores);
  }
  if (options.remove_invalid_values) remove_invalid(scores.columns);
  hasten_end(options, generated, scores);
  for (int id : options.suppress_tokens) scores.set(id, kForbidden);
  // The first token that is chosen comes after a forced first token.
  const bool is_forced = options.forced_bos_token_id >= 0 && context.prompt_length == 1;
  if (generated == (is_forced ? 1 : 0)) {
    for (int id : options.begin_suppress_tokens) scores.set(id, kForbidden);
  }
  if (options.first_timestamp_id >= 0) {
    apply_timestamp_rules(options, ids.subspan(static_cast<std::size_t>(context.prompt_length)), scores.columns);
  }
  for (const std::vector<int>& forced : options.forced_decoder_ids) {
    if (forced[0] == length) force(forced[1], scores);
  }
  if (options.renormalize_logits) {
    const int cols = count_of(scores.columns);
    const View row = {scores.columns.data(), 1, cols, cols};
    log_softmax(row, row);
  }
}

}  // namespace transformer

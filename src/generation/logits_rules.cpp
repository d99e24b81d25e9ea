#include "generation/logits_rules.h"

#include <algorithm>

#include "base/forbidden.h"
#include "generation/timestamp_rules.h"
#include "kernels/softmax.h"

namespace transformer {

namespace {

void penalize_repetition(float penalty, std::span<const int> ids, TokenScores scores) {
  std::vector<int> seen(ids.begin(), ids.end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (int id : seen) {
    scores.change(id, [penalty](float& score) { score = score > 0 ? score / penalty : score * penalty; });
  }
}

// Forbids every token that would complete an n-gram that the sequence already contains.
void forbid_repeated_ngrams(int n, std::span<const int> ids, TokenScores scores) {
  const int length = count_of(ids);
  if (length + 1 < n) return;
  const auto suffix = ids.last(n - 1);
  for (int start = 0; start + n <= length; ++start) {
    if (std::equal(suffix.begin(), suffix.end(), ids.begin() + start)) scores.set(ids[start + n - 1], kForbidden);
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

}  // namespace

void apply_logits_rules(const GenerationOptions& options, std::span<const int> ids, int prompt_length,
                        int max_new_tokens, TokenScores scores) {
  const int length = count_of(ids);
  if (options.repetition_penalty != 1.0f) penalize_repetition(options.repetition_penalty, ids, scores);
  if (options.no_repeat_ngram_size > 0) {
    forbid_repeated_ngrams(options.no_repeat_ngram_size, ids, scores);
  }
  forbid_bad_words(options, ids, scores);
  if (length - prompt_length < options.min_new_tokens) {
    for (int id : options.eos_token_ids) scores.set(id, kForbidden);
  }
  if (options.forced_bos_token_id >= 0 && length == 1) force(options.forced_bos_token_id, scores);
  if (options.forced_eos_token_id >= 0 && length - prompt_length == max_new_tokens - 1) {
    force(options.forced_eos_token_id, scores);
  }
  for (int id : options.suppress_tokens) scores.set(id, kForbidden);
  // The first token that is chosen comes after a forced first token.
  const bool is_forced = options.forced_bos_token_id >= 0 && prompt_length == 1;
  if (length == prompt_length + (is_forced ? 1 : 0)) {
    for (int id : options.begin_suppress_tokens) scores.set(id, kForbidden);
  }
  if (options.first_timestamp_id >= 0) {
    apply_timestamp_rules(options, ids.subspan(prompt_length), scores.columns);
  }
  if (options.renormalize_logits) {
    const int cols = count_of(scores.columns);
    const View row = {scores.columns.data(), 1, cols, cols};
    log_softmax(row, row);
  }
}

}  // namespace transformer

#include "generation/logits_rules.h"

#include <algorithm>
#include <limits>

#include "kernels/softmax.h"

namespace transformer {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

void penalize_repetition(float penalty, std::span<const int> tokens, TokenScores scores) {
  std::vector<int> seen(tokens.begin(), tokens.end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (int id : seen) {
    scores.change(id, [penalty](float& score) { score = score > 0 ? score / penalty : score * penalty; });
  }
}

// Bars every token that would complete an n-gram that the sequence already holds.
void bar_repeated_ngrams(std::size_t n, std::span<const int> tokens, TokenScores scores) {
  if (tokens.size() + 1 < n) return;
  const auto suffix = tokens.last(n - 1);
  for (std::size_t start = 0; start + n <= tokens.size(); ++start) {
    if (std::equal(suffix.begin(), suffix.end(), tokens.begin() + static_cast<std::ptrdiff_t>(start))) {
      scores.set(tokens[start + n - 1], kNever);
    }
  }
}

void bar_bad_words(const GenerationOptions& options, std::span<const int> tokens, TokenScores scores) {
  const std::vector<int>& eos = options.eos_token_ids;
  for (const std::vector<int>& words : options.bad_words_ids) {
    const std::size_t before = words.size() - 1;
    if (before > tokens.size()) continue;
    // An end token alone is never bad: nothing would end.
    if (before == 0 && std::find(eos.begin(), eos.end(), words.front()) != eos.end()) continue;
    if (std::equal(words.begin(), words.end() - 1, tokens.last(before).begin())) scores.set(words.back(), kNever);
  }
}

void force(int id, TokenScores scores) {
  std::fill(scores.columns.begin(), scores.columns.end(), kNever);
  scores.set(id, 0.0f);
}

}  // namespace

void apply_logits_rules(const GenerationOptions& options, std::span<const int> tokens, int prompt_length,
                        int max_new_tokens, TokenScores scores) {
  const int length = static_cast<int>(tokens.size());
  if (options.repetition_penalty != 1.0f) penalize_repetition(options.repetition_penalty, tokens, scores);
  if (options.no_repeat_ngram_size > 0) {
    bar_repeated_ngrams(static_cast<std::size_t>(options.no_repeat_ngram_size), tokens, scores);
  }
  bar_bad_words(options, tokens, scores);
  if (length - prompt_length < options.min_new_tokens) {
    for (int id : options.eos_token_ids) scores.set(id, kNever);
  }
  if (options.forced_bos_token_id >= 0 && length == 1) force(options.forced_bos_token_id, scores);
  if (options.forced_eos_token_id >= 0 && length - prompt_length == max_new_tokens - 1) {
    force(options.forced_eos_token_id, scores);
  }
  for (int id : options.suppress_tokens) scores.set(id, kNever);
  // A forced first token stands before the first that is chosen.
  const bool is_forced = options.forced_bos_token_id >= 0 && prompt_length == 1;
  if (length == prompt_length + (is_forced ? 1 : 0)) {
    for (int id : options.begin_suppress_tokens) scores.set(id, kNever);
  }
  if (options.renormalize_logits) {
    const int cols = static_cast<int>(scores.columns.size());
    const View row = {scores.columns.data(), 1, cols, cols};
    log_softmax(row, row);
  }
}

}  // namespace transformer

#include "generation/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/forbidden.h"
#include "generation/logits_rules.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"

namespace transformer {

namespace {

View as_row(std::span<float> scores) {
  const int vocab = count_of(scores);
  return {scores.data(), 1, vocab, vocab};
}

// The columns that are not forbidden, after top-k often few, those with the least keys first.
std::vector<int> rising(std::span<const float> keys, std::span<const float> scores) {
  std::vector<int> columns(scores.size());
  int count = 0;
  for (int column = 0; column < count_of(scores); ++column) {
    columns[count] = column;
    count += scores[column] != kForbidden;
  }
  columns.resize(count);
  sort_by_keys(keys, columns);
  return columns;
}

// Forbids what is less than the limit, but not the `least` best scores and their equals.
void keep_above(float limit, int least, std::span<float> scores, Workspace& workspace) {
  std::vector<Ranked> best;
  top_k(as_row(scores), std::array{0.0f}, static_cast<std::size_t>(least), best, workspace);
  if (!best.empty()) limit = std::min(limit, best.back().value);
  for (float& score : scores) {
    if (score < limit) score = kForbidden;
  }
}

// Keeps the k best scores, and all that equal the k-th best.
void keep_top_k(int k, std::span<float> scores, Workspace& workspace) {
  if (k > 0 && k < count_of(scores)) keep_above(std::numeric_limits<float>::infinity(), k, scores, workspace);
}

// Removes the least likely tokens whose probabilities sum to at most 1 - p; the `least` most likely ones always stay.
void keep_top_p(float p, int least, std::span<float> scores) {
  if (p >= 1.0f) return;
  std::vector<float> probabilities(scores.begin(), scores.end());
  softmax(as_row(probabilities), as_row(probabilities));
  const std::vector<int> order = rising(scores, scores);
  float sum = 0;
  for (int i = 0; i + least < count_of(order); ++i) {
    sum += probabilities[order[i]];
    if (sum > 1.0f - p) break;
    scores[order[i]] = kForbidden;
  }
}

std::vector<float> log_probabilities(std::span<const float> scores) {
  std::vector<float> logs(scores.begin(), scores.end());
  log_softmax(as_row(logs), as_row(logs));
  return logs;
}

float entropy_of(std::span<const float> logs) {
  float entropy = 0;
  for (float log : logs) {
    if (log != kForbidden) entropy -= std::exp(log) * log;
  }
  return entropy;
}

// Keeps the tokens whose information -log p is closest to the entropy, until their probabilities sum to p.
void keep_typical(float p, int least, std::span<float> scores) {
  if (p >= 1.0f) return;
  const std::vector<float> logs = log_probabilities(scores);
  const float entropy = entropy_of(logs);
  std::vector<float> distances;
  for (float log : logs) distances.push_back(std::abs(-log - entropy));
  const std::vector<int> order = rising(distances, scores);
  if (order.empty()) return;
  float sum = 0;
  int kept = 0;  // the token that reaches p is the last one to stay
  while (kept < count_of(order) && (kept < least || sum < p)) sum += std::exp(logs[order[kept++]]);
  const float farthest = distances[order[kept - 1]];
  for (int column : order) {
    if (distances[column] > farthest) scores[column] = kForbidden;
  }
}

// Keeps every token that has at least this probability, or less where the entropy is high (Hewitt et al. 2022).
void keep_probable(float cutoff, bool falls_with_entropy, int least, std::span<float> scores, Workspace& workspace) {
  if (cutoff <= 0.0f) return;
  const std::vector<float> logs = log_probabilities(scores);
  float limit = std::log(cutoff);
  if (falls_with_entropy) limit = std::min(limit, 0.5f * limit - entropy_of(logs));
  // The score of a token with that log-probability.
  const int count = count_of(scores);
  keep_above(limit + row_max(scores.data(), count) - row_max(logs.data(), count), least, scores, workspace);
}

int draw(std::span<const float> probabilities, double random) {
  double sum = 0;
  int last = 0;
  for (int column = 0; column < count_of(probabilities); ++column) {
    if (probabilities[column] == 0.0f) continue;
    last = column;
    sum += probabilities[column];
    if (random < sum) return last;
  }
  return last;  // by rounding, the probabilities may sum to less than 1
}

}  // namespace

void filter_scores(const GenerationOptions& options, int least, std::span<float> scores, Workspace& workspace) {
  const float best = row_max(scores.data(), count_of(scores));
  // The softmax is the same, and a temperature near 0 makes no infinity of the best score.
  if (std::isfinite(best) && !std::isfinite(best / options.temperature)) {
    for (float& score : scores) score -= best;
  }
  divide_row(scores.data(), scores.data(), count_of(scores), options.temperature);
  if (options.top_k > 0) keep_top_k(std::max(options.top_k, least), scores, workspace);
  keep_top_p(options.top_p, least, scores);
  if (options.min_p > 0) {
    const float limit = row_max(scores.data(), count_of(scores)) + std::log(options.min_p);
    keep_above(limit, least, scores, workspace);
  }
  keep_typical(options.typical_p, least, scores);
  keep_probable(options.epsilon_cutoff, false, least, scores, workspace);
  keep_probable(options.eta_cutoff, true, least, scores, workspace);
}

void sampling_distribution(const GenerationOptions& options, std::span<float> scores, Workspace& workspace) {
  filter_scores(options, 1, scores, workspace);
  softmax(as_row(scores), as_row(scores));
}

Sampler::Sampler(const GenerationOptions& options, SearchInput input) : Search(options, std::move(input)) {
  const int rows = options.num_return_sequences;
  for (int row = 0; row < rows; ++row) {
    // Each sequence has its own random numbers, which do not depend on how many others there are.
    Random seeds(static_cast<std::uint64_t>(options.seed) + row);
    sequences_.push_back({{input_.prompt, 0.0f, {}}, Random(seeds.next())});
    open_.push_back(row);
  }
}

int Sampler::draw_from(ConstView row, Random& random, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const std::span<float> scores(workspace.arena.take(row.cols), row.cols);
  std::copy_n(row.data, row.cols, scores.data());
  sampling_distribution(options_, scores, workspace);
  return draw(scores, random.uniform());
}

void Sampler::advance(View logits, Workspace& workspace) {
  for (int row = 0; row < rows(); ++row) {
    const std::span<float> scores(logits.row(row), logits.cols);
    apply_logits_rules(options_, context(row), {scores, shortlist_});
  }
  summaries_.resize(open_.size());
  summarize_rows(logits, summaries_, workspace);
  parents_.clear();
  last_ids_.clear();
  const std::vector<int> before = std::move(open_);
  open_.clear();
  for (int row = 0; row < count_of(before); ++row) {
    Sequence& sequence = sequences_[before[row]];
    const RowSummary& summary = summaries_[row];
    require_finite(summary.maximum);
    require_choice(summary.maximum);
    const ConstView scores = logits.row_range(row, 1);
    const int column = options_.do_sample ? draw_from(scores, sequence.random, workspace) : summary.best;
    const int id = shortlist_.id(column);
    note_top(scores, &summary, sequence.hypothesis, workspace);
    if (extend(sequence, id, summary.log_probability(scores.data[column]))) continue;
    parents_.push_back(row);
    last_ids_.push_back(id);
    open_.push_back(before[row]);
  }
  keep_rows(parents_);
  follow_form();
}

bool Sampler::extend(Sequence& sequence, int id, float log_probability) {
  Hypothesis& hypothesis = sequence.hypothesis;
  hypothesis.ids.push_back(id);
  hypothesis.token_scores.push_back(log_probability);
  hypothesis.score += log_probability;
  const auto& eos = options_.eos_token_ids;
  return std::find(eos.begin(), eos.end(), id) != eos.end() ||
         count_of(hypothesis.token_scores) >= input_.max_new_tokens;
}

std::vector<Hypothesis> Sampler::results() const {
  std::vector<Hypothesis> results;
  for (const Sequence& sequence : sequences_) results.push_back(sequence.hypothesis);
  return results;
}

std::vector<int> Sampler::certain() const {
  const std::vector<int>& ids = sequences_.front().hypothesis.ids;
  return {ids.begin() + prompt_length(), ids.end()};
}

}  // namespace transformer

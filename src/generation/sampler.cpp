#include "generation/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

// Keeps the k best scores, and all that equal the k-th best.
void keep_top_k(int k, std::span<float> scores, Workspace& workspace) {
  if (k <= 0 || k >= count_of(scores)) return;
  std::vector<Ranked> best;
  top_k(as_row(scores), std::array{0.0f}, k, best, workspace);
  for (float& score : scores) {
    if (score < best.back().value) score = kForbidden;
  }
}

// The columns that are not forbidden; after top-k often few.
std::vector<int> allowed_columns(std::span<const float> scores) {
  std::vector<int> columns;
  for (int column = 0; column < count_of(scores); ++column) {
    if (scores[column] != kForbidden) columns.push_back(column);
  }
  return columns;
}

// Removes the least likely tokens whose probabilities sum to at most 1 - p; the most likely one always stays.
void keep_top_p(float p, std::span<float> scores) {
  if (p >= 1.0f) return;
  std::vector<float> probabilities(scores.begin(), scores.end());
  softmax(as_row(probabilities), as_row(probabilities));
  std::vector<int> order = allowed_columns(scores);
  std::sort(order.begin(), order.end(),
            [&scores](int a, int b) { return scores[a] < scores[b] || (scores[a] == scores[b] && a < b); });
  float sum = 0;
  for (int i = 0; i + 1 < count_of(order); ++i) {
    sum += probabilities[order[i]];
    if (sum > 1.0f - p) break;
    scores[order[i]] = kForbidden;
  }
}

// Keeps the tokens whose information -log p is closest to the entropy, until their probabilities sum to p.
void keep_typical(float p, std::span<float> scores) {
  if (p >= 1.0f) return;
  std::vector<int> order = allowed_columns(scores);
  if (order.empty()) return;
  std::vector<float> logs(scores.begin(), scores.end());
  log_softmax(as_row(logs), as_row(logs));
  float entropy = 0;
  for (int column : order) entropy -= std::exp(logs[column]) * logs[column];
  auto distance = [&](int column) { return std::abs(-logs[column] - entropy); };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return distance(a) < distance(b) || (distance(a) == distance(b) && a < b); });
  float sum = 0;
  int kept = 0;  // the token that reaches p is the last one to stay
  while (kept < count_of(order) && (kept == 0 || sum < p)) sum += std::exp(logs[order[kept++]]);
  const float farthest = distance(order[kept - 1]);
  for (int column : order) {
    if (distance(column) > farthest) scores[column] = kForbidden;
  }
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

void sampling_distribution(const GenerationOptions& options, std::span<float> scores, Workspace& workspace) {
  const float best = row_max(scores.data(), count_of(scores));
  // The softmax is the same, and a temperature near 0 makes no infinity of the best score.
  if (std::isfinite(best) && !std::isfinite(best / options.temperature)) {
    for (float& score : scores) score -= best;
  }
  divide_row(scores.data(), scores.data(), count_of(scores), options.temperature);
  keep_top_k(options.top_k, scores, workspace);
  keep_top_p(options.top_p, scores);
  keep_typical(options.typical_p, scores);
  softmax(as_row(scores), as_row(scores));
}

Sampler::Sampler(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens)
    : options_(options), prompt_length_(count_of(prompt)), max_new_tokens_(max_new_tokens), shortlist_(options) {
  const int rows = options.num_return_sequences;
  for (int row = 0; row < rows; ++row) {
    // Each sequence has its own random numbers, which do not depend on how many others there are.
    Random seeds(static_cast<std::uint64_t>(options.seed) + row);
    sequences_.push_back({{prompt, 0.0f, {}}, Random(seeds.next()), false});
  }
  parents_.resize(sequences_.size());
  std::iota(parents_.begin(), parents_.end(), 0);
  last_ids_.resize(sequences_.size());
  summaries_.resize(sequences_.size());
}

bool Sampler::done() const {
  return std::all_of(sequences_.begin(), sequences_.end(), [](const Sequence& sequence) { return sequence.finished; });
}

int Sampler::draw_from(ConstView row, Random& random, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const std::span<float> scores(workspace.arena.take(row.cols), row.cols);
  std::copy_n(row.data, row.cols, scores.data());
  sampling_distribution(options_, scores, workspace);
  return draw(scores, random.uniform());
}

void Sampler::advance(View logits, Workspace& workspace) {
  for (int i = 0; i < rows(); ++i) {
    const Sequence& sequence = sequences_[i];
    if (sequence.finished) continue;
    const std::span<float> scores(logits.row(i), logits.cols);
    apply_logits_rules(options_, sequence.hypothesis.ids, prompt_length_, max_new_tokens_, {scores, shortlist_});
  }
  summarize_rows(logits, summaries_, workspace);
  for (int i = 0; i < rows(); ++i) {
    Sequence& sequence = sequences_[i];
    if (sequence.finished) continue;
    const ConstView row = logits.row_range(i, 1);
    const RowSummary& summary = summaries_[i];
    require_finite(summary.maximum);
    const int column = options_.do_sample ? draw_from(row, sequence.random, workspace) : summary.best;
    const float log_probability = summary.log_probability(row.data[column]);

    const int id = shortlist_.id(column);
    Hypothesis& hypothesis = sequence.hypothesis;
    hypothesis.ids.push_back(id);
    hypothesis.token_scores.push_back(log_probability);
    hypothesis.score += log_probability;
    last_ids_[i] = id;
    const auto& eos = options_.eos_token_ids;
    sequence.finished =
        std::find(eos.begin(), eos.end(), id) != eos.end() || count_of(hypothesis.token_scores) >= max_new_tokens_;
  }
}

std::vector<Hypothesis> Sampler::results() const {
  std::vector<Hypothesis> results;
  for (const Sequence& sequence : sequences_) results.push_back(sequence.hypothesis);
  return results;
}

std::vector<int> Sampler::certain() const {
  const std::vector<int>& ids = sequences_.front().hypothesis.ids;
  return {ids.begin() + prompt_length_, ids.end()};
}

}  // namespace transformer

#include "generation/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "generation/logits_rules.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"

namespace transformer {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

View as_row(std::span<float> scores) {
  const int vocab = static_cast<int>(scores.size());
  return {scores.data(), 1, vocab, vocab};
}

// Tokens below the k-th best score are out; those equal to it stay.
void cut_top_k(int k, std::span<float> scores, Workspace& workspace) {
  if (k <= 0 || static_cast<std::size_t>(k) >= scores.size()) return;
  std::vector<Ranked> best;
  top_k(as_row(scores), std::array{0.0f}, static_cast<std::size_t>(k), best, workspace);
  for (float& score : scores) {
    if (score < best.back().value) score = kNever;
  }
}

// The tokens that are not out: often few, after a cut to the k best.
std::vector<int> survivors(std::span<const float> scores) {
  std::vector<int> ids;
  for (std::size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] != kNever) ids.push_back(static_cast<int>(id));
  }
  return ids;
}

// The least likely tokens are out while together they have no more than 1 - p; the best one always stays.
void cut_top_p(float p, std::span<float> scores) {
  if (p >= 1.0f) return;
  std::vector<float> probabilities(scores.begin(), scores.end());
  softmax(as_row(probabilities), as_row(probabilities));
  std::vector<int> order = survivors(scores);
  std::sort(order.begin(), order.end(), [&scores](int a, int b) {
    const float score_a = scores[static_cast<std::size_t>(a)];
    const float score_b = scores[static_cast<std::size_t>(b)];
    return score_a < score_b || (score_a == score_b && a < b);
  });
  float sum = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    sum += probabilities[static_cast<std::size_t>(order[i])];
    if (sum > 1.0f - p) break;
    scores[static_cast<std::size_t>(order[i])] = kNever;
  }
}

// The tokens whose information -log p differs least from the entropy stay, until together they have the probability p.
void cut_typical(float p, std::span<float> scores) {
  if (p >= 1.0f) return;
  std::vector<int> order = survivors(scores);
  if (order.empty()) return;
  std::vector<float> logs(scores.begin(), scores.end());
  log_softmax(as_row(logs), as_row(logs));
  float entropy = 0;
  for (int id : order) {
    const float log = logs[static_cast<std::size_t>(id)];
    entropy -= std::exp(log) * log;
  }
  auto distance = [&](int id) { return std::abs(-logs[static_cast<std::size_t>(id)] - entropy); };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return distance(a) < distance(b) || (distance(a) == distance(b) && a < b); });
  float sum = 0;
  std::size_t kept = 0;  // the token that reaches p is the last one to stay
  while (kept < order.size() && (kept == 0 || sum < p)) {
    sum += std::exp(logs[static_cast<std::size_t>(order[kept++])]);
  }
  const float farthest = distance(order[kept - 1]);
  for (int id : order) {
    if (distance(id) > farthest) scores[static_cast<std::size_t>(id)] = kNever;
  }
}

int draw(std::span<const float> probabilities, double random) {
  double sum = 0;
  int last = 0;
  for (std::size_t id = 0; id < probabilities.size(); ++id) {
    if (probabilities[id] == 0.0f) continue;
    last = static_cast<int>(id);
    sum += static_cast<double>(probabilities[id]);
    if (random < sum) return last;
  }
  return last;  // the probabilities sum to 1 but for rounding
}

}  // namespace

void sampling_distribution(const GenerationOptions& options, std::span<float> scores, Workspace& workspace) {
  divide_row(scores.data(), scores.data(), static_cast<int>(scores.size()), options.temperature);
  cut_top_k(options.top_k, scores, workspace);
  cut_top_p(options.top_p, scores);
  cut_typical(options.typical_p, scores);
  softmax(as_row(scores), as_row(scores));
}

Sampler::Sampler(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens)
    : options_(options),
      prompt_length_(static_cast<int>(prompt.size())),
      max_new_tokens_(max_new_tokens),
      shortlist_(options) {
  const int rows = options.num_return_sequences;
  for (int row = 0; row < rows; ++row) {
    // Each sequence has numbers of its own, and the first the same ones whatever else is in the batch.
    Random seeds(static_cast<std::uint64_t>(options.seed) + static_cast<std::uint64_t>(row));
    sequences_.push_back({{prompt, 0.0f, {}}, Random(seeds.next()), false});
  }
  sources_.resize(sequences_.size());
  std::iota(sources_.begin(), sources_.end(), 0);
  last_tokens_.resize(sequences_.size());
  summaries_.resize(sequences_.size());
}

bool Sampler::done() const {
  return std::all_of(sequences_.begin(), sequences_.end(), [](const Sequence& sequence) { return sequence.finished; });
}

int Sampler::draw_from(ConstView row, Random& random, Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const std::span<float> scores(workspace.arena.take(static_cast<std::size_t>(row.cols)),
                                static_cast<std::size_t>(row.cols));
  std::copy_n(row.data, row.cols, scores.data());
  sampling_distribution(options_, scores, workspace);
  return draw(scores, random.uniform());
}

void Sampler::advance(View logits, Workspace& workspace) {
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const Sequence& sequence = sequences_[i];
    if (sequence.finished) continue;
    const std::span<float> scores(logits.row(static_cast<int>(i)), static_cast<std::size_t>(logits.cols));
    apply_logits_rules(options_, sequence.hypothesis.ids, prompt_length_, max_new_tokens_, {scores, shortlist_});
  }
  summarize_rows(logits, summaries_, workspace);
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    Sequence& sequence = sequences_[i];
    if (sequence.finished) continue;
    const ConstView row = logits.row_range(static_cast<int>(i), 1);
    const RowSummary& summary = summaries_[i];
    require_finite(summary.maximum);
    const int column = options_.do_sample ? draw_from(row, sequence.random, workspace) : summary.best;
    const float log_probability = summary.log_probability(row.data[column]);

    const int id = shortlist_.id(column);
    Hypothesis& hypothesis = sequence.hypothesis;
    hypothesis.ids.push_back(id);
    hypothesis.token_scores.push_back(log_probability);
    hypothesis.score += log_probability;
    last_tokens_[i] = id;
    const auto& eos = options_.eos_token_ids;
    sequence.finished = std::find(eos.begin(), eos.end(), id) != eos.end() ||
                        static_cast<int>(hypothesis.token_scores.size()) >= max_new_tokens_;
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

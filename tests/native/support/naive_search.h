// A straightforward beam search on plain lists, and a toy language model.
#pragma once

#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "generation/logits_rules.h"
#include "support/drive_search.h"
#include "support/naive.h"
#include "support/random_data.h"

namespace transformer::testing {

// Logits that depend on a hash of the whole sequence.
class ToyModel {
 public:
  ToyModel(std::uint64_t seed, int vocab) : seed_(seed), vocab_(vocab) {}

  int vocab() const { return vocab_; }
  std::vector<float> logits(const std::vector<int>& ids) const {
    std::uint64_t hash = seed_;
    for (int id : ids) hash = Random(hash ^ static_cast<std::uint64_t>(id + 1)).next();
    Random random(hash);
    return random_floats(random, static_cast<std::size_t>(vocab_), -4.0f, 4.0f);
  }

 private:
  std::uint64_t seed_;
  int vocab_;
};

// Runs a search on the toy model.
inline void run_search(
    Search& search, const ToyModel& model, const std::vector<int>& prompt,
    const std::function<void()>& after_step = [] {}) {
  const auto fill = [&model](const std::vector<int>& ids, float* logits) {
    const std::vector<float> next = model.logits(ids);
    std::copy(next.begin(), next.end(), logits);
  };
  drive_search(search, prompt, model.vocab(), fill, after_step);
}

struct NaiveHypothesis {
  std::vector<int> ids;
  double sum = 0;
  double score = 0;
};

// Sorts all candidates of a step, in double precision.
class NaiveBeamSearch {
 public:
  NaiveBeamSearch(const ToyModel& model, const GenerationOptions& options) : model_(model), options_(options) {}

  std::vector<NaiveHypothesis> search(const std::vector<int>& prompt, int max_new_tokens) {
    std::vector<NaiveHypothesis> live = {{prompt}};
    std::vector<NaiveHypothesis> finished;
    const std::set<int> eos(options_.eos_token_ids.begin(), options_.eos_token_ids.end());
    const auto beams = static_cast<std::size_t>(options_.num_beams);
    for (int length = 1; length <= max_new_tokens; ++length) {
      std::vector<NaiveHypothesis> candidates;
      for (const NaiveHypothesis& beam : live) {
        const std::vector<double> scores = next_scores(beam.ids, prompt.size(), max_new_tokens);
        for (int id = 0; id < model_.vocab(); ++id) {
          if (std::isinf(scores[id])) continue;
          candidates.push_back(beam);
          candidates.back().ids.push_back(id);
          candidates.back().sum += scores[id];
        }
      }
      std::sort(candidates.begin(), candidates.end(),
                [](const NaiveHypothesis& a, const NaiveHypothesis& b) { return a.sum > b.sum; });
      live.clear();
      for (std::size_t rank = 0; rank < candidates.size() && live.size() < beams; ++rank) {
        const bool ends = eos.count(candidates[rank].ids.back()) > 0;
        if (!ends) live.push_back(candidates[rank]);
        if (!ends || rank >= beams) continue;
        candidates[rank].ids.back() = options_.eos_token_ids.front();
        keep(finished, candidates[rank], length);
      }
      if (candidates.empty() || live.empty()) return finished;
      if (finished.size() == beams && stops(finished.back().score, candidates.front().sum, length, max_new_tokens))
        return finished;
    }
    for (const NaiveHypothesis& beam : live) keep(finished, beam, max_new_tokens);
    return finished;
  }

 private:
  std::vector<double> next_scores(const std::vector<int>& ids, std::size_t prompt_length, int max_new_tokens) const {
    std::vector<float> logits = model_.logits(ids);
    const std::vector<double> exact = naive_log_softmax({logits.begin(), logits.end()});
    std::vector<float> scores(exact.begin(), exact.end());
    apply_logits_rules(options_, {ids, static_cast<int>(prompt_length), max_new_tokens}, {scores, Shortlist()});
    return {scores.begin(), scores.end()};
  }
  double penalized(double sum, int length) const {
    return sum / std::pow(length, static_cast<double>(options_.length_penalty));
  }
  void keep(std::vector<NaiveHypothesis>& finished, NaiveHypothesis hypothesis, int length) const {
    hypothesis.score = penalized(hypothesis.sum, length);
    finished.push_back(hypothesis);
    std::sort(finished.begin(), finished.end(),
              [](const NaiveHypothesis& a, const NaiveHypothesis& b) { return a.score > b.score; });
    if (finished.size() > static_cast<std::size_t>(options_.num_beams)) finished.pop_back();
  }
  bool stops(double worst, double best_sum, int length, int max_new_tokens) const {
    switch (options_.early_stopping) {
      case EarlyStopping::kYes: return true;
      case EarlyStopping::kNo: return worst >= penalized(best_sum, length);
      case EarlyStopping::kNever:
        return worst >= penalized(best_sum, options_.length_penalty > 0 ? max_new_tokens : length);
    }
    return false;
  }

  const ToyModel& model_;
  const GenerationOptions& options_;
};

}  // namespace transformer::testing

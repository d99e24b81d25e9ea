#include "generation/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "generation/logits_rules.h"
#include "kernels/softmax.h"

namespace transformer {

namespace {
// The first step sees the same sequence in every beam; only one of them may speak.
constexpr float kSilent = -1e9f;

// Keeps the best first; of equal ones the earlier.
void insert_by_score(std::vector<Hypothesis>& sorted, Hypothesis hypothesis) {
  const auto place = std::upper_bound(sorted.begin(), sorted.end(), hypothesis,
                                      [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  sorted.insert(place, std::move(hypothesis));
}

}  // namespace

BeamSearch::BeamSearch(const GenerationOptions& options, std::vector<int> prompt, int max_new_tokens)
    : options_(options), prompt_length_(static_cast<int>(prompt.size())), max_new_tokens_(max_new_tokens) {
  const auto count = static_cast<std::size_t>(options.num_beams);
  beams_.assign(count, {prompt, kSilent, {}});
  beams_.front().score = 0.0f;
  sources_.resize(count);
  std::iota(sources_.begin(), sources_.end(), 0);
  last_tokens_.resize(count);
}

float BeamSearch::penalized(float sum, int length) const {
  return static_cast<float>(static_cast<double>(sum) /
                            std::pow(static_cast<double>(length), static_cast<double>(options_.length_penalty)));
}

std::vector<BeamSearch::Candidate> BeamSearch::best_candidates(View log_probabilities, std::size_t count) const {
  const auto better = [](const Candidate& a, const Candidate& b) { return a.sum > b.sum; };
  std::vector<Candidate> best;  // a heap with the worst on top
  for (int beam = 0; beam < rows(); ++beam) {
    const float* row = log_probabilities.row(beam);
    const float base = beams_[static_cast<std::size_t>(beam)].score;
    for (int id = 0; id < log_probabilities.cols; ++id) {
      const Candidate candidate = {beam, id, base + row[id], row[id]};
      if (best.size() == count) {
        if (!better(candidate, best.front())) continue;
        std::pop_heap(best.begin(), best.end(), better);
        best.back() = candidate;
      } else {
        best.push_back(candidate);
      }
      std::push_heap(best.begin(), best.end(), better);
    }
  }
  std::sort_heap(best.begin(), best.end(), better);
  return best;
}

Hypothesis BeamSearch::extend(const Candidate& candidate) const {
  Hypothesis extended = beams_[static_cast<std::size_t>(candidate.beam)];
  extended.ids.push_back(candidate.id);
  extended.token_scores.push_back(candidate.log_probability);
  extended.score = candidate.sum;
  return extended;
}

void BeamSearch::finish(Hypothesis hypothesis) {
  hypothesis.score = penalized(hypothesis.score, static_cast<int>(hypothesis.token_scores.size()));
  insert_by_score(finished_, std::move(hypothesis));
  if (finished_.size() > beams_.size()) finished_.pop_back();
}

bool BeamSearch::is_done(float best_sum) const {
  if (finished_.size() < beams_.size()) return false;
  if (options_.early_stopping == EarlyStopping::kYes) return true;
  const bool by_greatest_length = options_.early_stopping == EarlyStopping::kNever && options_.length_penalty > 0;
  const int length = by_greatest_length ? max_new_tokens_ : generated();
  return finished_.back().score >= penalized(best_sum, length);
}

void BeamSearch::advance(View logits) {
  if (done_) return;
  for (int beam = 0; beam < rows(); ++beam) {
    const View row = logits.row_range(beam, 1);
    log_softmax(row, row);
    apply_logits_rules(options_, beams_[static_cast<std::size_t>(beam)].ids, prompt_length_, max_new_tokens_,
                       {row.data, static_cast<std::size_t>(row.cols)});
  }
  const auto& eos = options_.eos_token_ids;
  // Enough that num_beams go on even where every end token of every beam is among the best.
  const std::size_t count = std::max<std::size_t>(2, 1 + eos.size()) * beams_.size();
  const std::vector<Candidate> candidates = best_candidates(logits, count);

  std::vector<Hypothesis> next;
  for (std::size_t rank = 0; rank < candidates.size() && next.size() < beams_.size(); ++rank) {
    const Candidate& candidate = candidates[rank];
    if (std::find(eos.begin(), eos.end(), candidate.id) != eos.end()) {
      if (rank < beams_.size()) finish(extend(candidate));  // a worse one is no hypothesis of this beam width
      continue;
    }
    sources_[next.size()] = candidate.beam;
    last_tokens_[next.size()] = candidate.id;
    next.push_back(extend(candidate));
  }
  // A vocabulary so small that fewer go on: the others repeat the last in silence.
  while (!next.empty() && next.size() < beams_.size()) {
    sources_[next.size()] = sources_[next.size() - 1];
    last_tokens_[next.size()] = last_tokens_[next.size() - 1];
    next.push_back(next.back());
    next.back().score = kSilent;
  }
  if (next.empty()) {
    done_ = true;
    return;
  }
  beams_ = std::move(next);
  done_ = is_done(candidates.front().sum);
  if (!done_ && generated() >= max_new_tokens_) {
    for (const Hypothesis& beam : beams_) finish(beam);
    done_ = true;
  }
}

std::vector<Hypothesis> BeamSearch::results() const {
  std::vector<Hypothesis> results = finished_;
  if (!done_) {
    for (Hypothesis beam : beams_) {
      beam.score = penalized(beam.score, std::max(generated(), 1));
      insert_by_score(results, std::move(beam));
    }
  }
  const auto count = static_cast<std::size_t>(options_.num_return_sequences);
  if (results.size() > count) results.resize(count);
  return results;
}

std::vector<int> BeamSearch::certain() const {
  if (done_ && !finished_.empty()) {
    const std::vector<int>& ids = finished_.front().ids;
    return {ids.begin() + prompt_length_, ids.end()};
  }
  std::vector<int> common(beams_.front().ids.begin() + prompt_length_, beams_.front().ids.end());
  auto shorten = [&](const Hypothesis& other) {
    const auto difference =
        std::mismatch(common.begin(), common.end(), other.ids.begin() + prompt_length_, other.ids.end());
    common.erase(difference.first, common.end());
  };
  for (const Hypothesis& beam : beams_) shorten(beam);
  for (const Hypothesis& hypothesis : finished_) shorten(hypothesis);
  return common;
}

}  // namespace transformer

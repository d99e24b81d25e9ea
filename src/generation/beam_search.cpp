#include "generation/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "generation/logits_rules.h"

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
    : options_(options),
      prompt_length_(static_cast<int>(prompt.size())),
      max_new_tokens_(max_new_tokens),
      shortlist_(options) {
  const auto count = static_cast<std::size_t>(options.num_beams);
  beams_.assign(count, {prompt, kSilent, {}});
  beams_.front().score = 0.0f;
  next_ = beams_;
  summaries_.resize(count);
  sums_.resize(count);
  sources_.resize(count);
  std::iota(sources_.begin(), sources_.end(), 0);
  last_tokens_.resize(count);
}

float BeamSearch::penalized(float sum, int length) const {
  return static_cast<float>(static_cast<double>(sum) /
                            std::pow(static_cast<double>(length), static_cast<double>(options_.length_penalty)));
}

void BeamSearch::find_candidates(View logits, Workspace& workspace) {
  summarize_rows(logits, summaries_, workspace);
  for (const RowSummary& summary : summaries_) require_finite(summary.maximum);
  log_softmax_rows(logits, summaries_, workspace);
  for (std::size_t beam = 0; beam < beams_.size(); ++beam) {
    const std::span<float> scores(logits.row(static_cast<int>(beam)), static_cast<std::size_t>(logits.cols));
    apply_logits_rules(options_, beams_[beam].ids, prompt_length_, max_new_tokens_, {scores, shortlist_});
    sums_[beam] = beams_[beam].score;
  }
  // Enough that num_beams go on even where every end token of every beam is among the best.
  const std::size_t count = std::max<std::size_t>(2, 1 + options_.eos_token_ids.size()) * beams_.size();
  top_k(logits, sums_, count, candidates_, workspace);
}

void BeamSearch::extend(const Ranked& candidate, float log_probability, Hypothesis& extended) const {
  extended = beams_[static_cast<std::size_t>(candidate.row)];
  extended.ids.push_back(shortlist_.id(candidate.col));
  extended.token_scores.push_back(log_probability);
  extended.score = candidate.value;
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

void BeamSearch::advance(View logits, Workspace& workspace) {
  if (done_) return;
  find_candidates(logits, workspace);
  const auto& eos = options_.eos_token_ids;
  std::size_t alive = 0;
  for (std::size_t rank = 0; rank < candidates_.size() && alive < beams_.size(); ++rank) {
    const Ranked& candidate = candidates_[rank];
    const int id = shortlist_.id(candidate.col);
    const float log_probability = logits.row(candidate.row)[candidate.col];
    if (std::find(eos.begin(), eos.end(), id) != eos.end()) {
      if (rank >= beams_.size()) continue;  // a worse one is no hypothesis of this beam width
      Hypothesis ended;
      extend(candidate, log_probability, ended);
      finish(std::move(ended));
      continue;
    }
    sources_[alive] = candidate.row;
    last_tokens_[alive] = id;
    extend(candidate, log_probability, next_[alive]);
    ++alive;
  }
  if (alive == 0) {
    done_ = true;
    return;
  }
  // A vocabulary so small that fewer go on: the others repeat the last in silence.
  for (; alive < beams_.size(); ++alive) {
    sources_[alive] = sources_[alive - 1];
    last_tokens_[alive] = last_tokens_[alive - 1];
    next_[alive] = next_[alive - 1];
    next_[alive].score = kSilent;
  }
  std::swap(beams_, next_);
  done_ = is_done(candidates_.front().value);
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

#include "generation/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/forbidden.h"
#include "base/power.h"
#include "generation/sampler.h"

namespace transformer {

namespace {

// All beams start with the same sequence, so all but one start with this sum: their continuations come last. Finite, so
// that -inf keeps meaning forbidden.
constexpr float kInactive = -1e9f;

}  // namespace

BeamSearch::BeamSearch(const GenerationOptions& options, SearchInput input)
    : Search(options, std::move(input)), random_(static_cast<std::uint64_t>(options.seed)) {
  const int count = options.num_beams;
  beams_.assign(count, {input_.prompt, kInactive, {}});
  beams_.front().score = 0.0f;
  next_ = beams_;
  summaries_.resize(count);
  sums_.resize(count);
  parents_.resize(count);
  std::iota(parents_.begin(), parents_.end(), 0);
  last_ids_.resize(count);
}

float BeamSearch::penalized(float sum, int length) const {
  const double penalty = options_.length_penalty;
  return static_cast<float>(sum / power(length, penalty));
}

void BeamSearch::find_candidates(View logits, std::span<const int> elsewhere, Workspace& workspace) {
  summarize_rows(logits, summaries_, workspace);
  for (const RowSummary& summary : summaries_) {
    if (!options_.remove_invalid_values) require_finite(summary.maximum);
  }
  log_softmax_rows(logits, summaries_, workspace);
  const int ends = count_of(options_.eos_token_ids);
  for (int beam = 0; beam < count_of(beams_); ++beam) {
    const std::span<float> scores(logits.row(beam), logits.cols);
    apply_logits_rules(options_, context(beam, elsewhere), {scores, shortlist_});
    // Each beam keeps at least a token that goes on.
    if (options_.do_sample) filter_scores(options_, ends + 1, scores, workspace);
    sums_[beam] = beams_[beam].score;
  }
  // Enough for num_beams survivors even if every end token of every beam is among the best candidates.
  const std::size_t count = static_cast<std::size_t>(std::max(2, 1 + ends)) * beams_.size();
  if (options_.do_sample) {
    draw_candidates(logits, count, workspace);
  } else {
    top_k(logits, sums_, count, candidates_, workspace);
  }
}

void BeamSearch::draw_candidates(View logits, std::size_t count, Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  const View noisy = workspace.arena.take(logits.rows, logits.cols);
  for (int row = 0; row < logits.rows; ++row) {
    for (int col = 0; col < logits.cols; ++col) {
      const float score = logits.row(row)[col];
      const double noise = score == kForbidden ? 0.0 : -std::log(-std::log(random_.uniform() + 0x1.0p-54));
      noisy.row(row)[col] = score + static_cast<float>(noise);
    }
  }
  top_k(noisy, sums_, count, candidates_, workspace);
  for (Ranked& candidate : candidates_) {
    candidate.value = logits.row(candidate.row)[candidate.col] + sums_[candidate.row];
  }
  sort_ranked(candidates_);
}

void BeamSearch::extend(const Ranked& candidate, ConstView log_probabilities, Hypothesis& extended,
                        Workspace& workspace) const {
  const ConstView own = log_probabilities.row_range(candidate.row, 1);
  extended = beams_[candidate.row];
  extended.ids.push_back(shortlist_.id(candidate.col));
  extended.token_scores.push_back(own.data[candidate.col]);
  extended.score = candidate.value;
  note_top(own, nullptr, extended, workspace);
}

void BeamSearch::finish(Hypothesis hypothesis) {
  hypothesis.score = penalized(hypothesis.score, count_of(hypothesis.token_scores));
  insert_by_score(finished_, std::move(hypothesis));
  if (finished_.size() > beams_.size()) finished_.pop_back();
}

bool BeamSearch::is_done(float best_sum) const {
  if (finished_.size() < beams_.size()) return false;
  if (options_.early_stopping == EarlyStopping::kYes) return true;
  const bool by_greatest_length = options_.early_stopping == EarlyStopping::kNever && options_.length_penalty > 0;
  const int length = by_greatest_length ? input_.max_new_tokens : generated();
  return finished_.back().score >= penalized(best_sum, length);
}

void BeamSearch::advance(View logits, std::span<const int> elsewhere, Workspace& workspace) {
  if (done_) return;
  find_candidates(logits, elsewhere, workspace);
  const float best = candidates_.empty() ? kForbidden : candidates_.front().value;
  // Where no beam can go on, those that have ended are the result.
  if (finished_.empty()) require_choice(best);
  done_ = best == kForbidden;
  if (done_) return;
  const auto& eos = options_.eos_token_ids;
  const int beams = count_of(beams_);
  int alive = 0;
  for (int rank = 0; rank < count_of(candidates_) && alive < beams; ++rank) {
    const Ranked& candidate = candidates_[rank];
    if (keeps_to_form() && candidate.value == kForbidden) break;  // no row may leave the form
    const int id = shortlist_.id(candidate.col);
    if (std::find(eos.begin(), eos.end(), id) != eos.end()) {
      if (rank >= beams) continue;  // outside of the beam width: discarded
      Hypothesis ended;
      extend(candidate, logits, ended, workspace);
      ended.ids.back() = eos.front();  // whichever end token it was, as in Hugging Face's transformers
      finish(std::move(ended));
      continue;
    }
    parents_[alive] = candidate.row;
    last_ids_[alive] = id;
    extend(candidate, logits, next_[alive], workspace);
    ++alive;
  }
  if (alive == 0) {
    done_ = true;
    return;
  }
  // With fewer survivors than beams (a tiny vocabulary), the rest are inactive copies of the last one.
  for (; alive < beams; ++alive) {
    parents_[alive] = parents_[alive - 1];
    last_ids_[alive] = last_ids_[alive - 1];
    next_[alive] = next_[alive - 1];
    next_[alive].score = kInactive;
  }
  std::swap(beams_, next_);
  follow_form();
  done_ = is_done(candidates_.front().value);
  if (!done_ && generated() >= input_.max_new_tokens) {
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
  if (count_of(results) > options_.num_return_sequences) results.resize(options_.num_return_sequences);
  return results;
}

std::vector<int> BeamSearch::certain() const {
  if (done_ && !finished_.empty()) {
    const std::vector<int>& ids = finished_.front().ids;
    return {ids.begin() + prompt_length(), ids.end()};
  }
  std::vector<int> common(beams_.front().ids.begin() + prompt_length(), beams_.front().ids.end());
  auto shorten = [&](const Hypothesis& other) {
    const auto difference =
        std::mismatch(common.begin(), common.end(), other.ids.begin() + prompt_length(), other.ids.end());
    common.erase(difference.first, common.end());
  };
  for (const Hypothesis& beam : beams_) shorten(beam);
  for (const Hypothesis& hypothesis : finished_) shorten(hypothesis);
  return common;
}

}  // namespace transformer

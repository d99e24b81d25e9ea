#include "generation/search.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/forbidden.h"
#include "kernels/top_k.h"

namespace transformer {

void require_finite(float greatest_logit) {
  if (greatest_logit < std::numeric_limits<float>::infinity()) return;  // false for NaN too
  fail(ErrorCode::kBadCheckpoint, "the model's logits are not finite: its weights overflow float32");
}

void require_choice(float greatest_score) {
  require(greatest_score != kForbidden,
          "no token can be chosen: suppressTokens, badWordsIds or another option forbids all of them");
}

void insert_by_score(std::vector<Hypothesis>& sorted, Hypothesis hypothesis) {
  const auto place = std::upper_bound(sorted.begin(), sorted.end(), hypothesis,
                                      [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  sorted.insert(place, std::move(hypothesis));
}

void Search::follow_form() {
  if (!form_) return;
  std::vector<int> states;
  for (int row = 0; row < count_of(last_ids()); ++row) {
    states.push_back(form_->after(form_states_[parents()[row]], last_ids()[row]));
  }
  form_states_ = std::move(states);
}

void Search::keep_rows(std::span<const int> kept) {
  std::vector<std::vector<int>>& sources = input_.rewarded_sources;
  if (count_of(kept) == count_of(sources)) return;
  std::vector<std::vector<int>> left;
  for (int row : kept) {
    if (row < count_of(sources)) left.push_back(std::move(sources[row]));
  }
  sources = std::move(left);
}

void Search::note_top(ConstView scores, const RowSummary* summary, Hypothesis& hypothesis, Workspace& workspace) const {
  if (options_.top_logprobs == 0) return;
  std::vector<Ranked> best;
  top_k(scores, std::array{0.0f}, static_cast<std::size_t>(options_.top_logprobs), best, workspace);
  best.resize(options_.top_logprobs, {kForbidden, 0, 0});
  for (const auto& [score, row, column] : best) {
    hypothesis.top_ids.push_back(score == kForbidden ? -1 : shortlist_.id(column));
    hypothesis.top_scores.push_back(summary ? summary->log_probability(score) : score);
  }
}

RuleContext Search::context(int row, std::span<const int> elsewhere) const {
  const auto of_row = [row](const std::vector<std::vector<int>>& lists) {
    return row < count_of(lists) ? std::span<const int>(lists[row]) : std::span<const int>();
  };
  const int state = form_ ? form_states_[row] : GrammarStates::kStart;
  return {ids(row),         prompt_length(), input_.max_new_tokens, input_.source, of_row(input_.rewarded_sources),
          of_row(allowed_), elsewhere,       form_.get(),           state};
}

}  // namespace transformer

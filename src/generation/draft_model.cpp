#include "generation/draft_model.h"

#include <algorithm>

namespace transformer {

DraftModel::DraftModel(std::unique_ptr<const SequenceModel> model, const GenerationOptions& options, int capacity)
    : DraftSource(options.num_assistant_tokens, false),
      model_(std::move(model)),
      shortlist_(options),
      capacity_(std::min(capacity, model_->max_length())),
      logits_({1, shortlist_.is_everything() ? model_->vocab() : count_of(shortlist_.ids())}) {}

std::span<const int> DraftModel::guess(const DraftInput& input, int most, Workspace& workspace) {
  // The profile and the factors of heads are those of the other model.
  Workspace own{workspace.arena, workspace.threads};
  const int room = capacity_ - count_of(input.ids);
  if (room < 0) return {};
  if (!decoding_) {
    GenerationInput start;
    start.prompts.emplace_back(input.ids.begin(), input.ids.end());
    if (model_->has_encoder()) start.sources.emplace_back(input.source.begin(), input.source.end());
    decoding_ = model_->start(start, {1, capacity_}, shortlist_, own);
  }
  if (!decoding_->can_forget()) return {};
  const auto known = std::mismatch(fed_.begin(), fed_.end(), input.ids.begin(), input.ids.end()).first - fed_.begin();
  decoding_->forget(0, count_of(fed_) - static_cast<int>(known));
  fed_.resize(known);
  most = std::min(most, room + 1);  // the last guess is not fed
  std::vector<int> next(input.ids.begin() + known, input.ids.end());
  guesses_.clear();
  while (!next.empty()) {
    decoding_->forward(next, {1, count_of(next)}, logits_.matrix(), own);
    fed_.insert(fed_.end(), next.begin(), next.end());
    const float* row = logits_.data();
    guesses_.push_back(shortlist_.id(static_cast<int>(std::max_element(row, row + logits_.size()) - row)));
    next.clear();
    if (count_of(guesses_) < most) next.push_back(guesses_.back());
  }
  return guesses_;
}

}  // namespace transformer

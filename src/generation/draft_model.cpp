#include "generation/draft_model.h"

#include <algorithm>

namespace transformer {

DraftModel::DraftModel(std::unique_ptr<const SequenceModel> model, int longest, int capacity)
    : DraftSource(longest), model_(std::move(model)), capacity_(std::min(capacity, model_->max_length())) {}

void DraftModel::start(const DraftInput& input, Workspace& workspace) {
  GenerationInput given;
  given.prompts.emplace_back(input.ids.begin(), input.ids.end());
  if (model_->has_encoder()) given.sources.emplace_back(input.source.begin(), input.source.end());
  decoding_ = model_->start(given, {1, capacity_}, {&input.shortlist, 1}, workspace);
}

std::span<const int> DraftModel::guess(const DraftInput& input, int most, Workspace& workspace) {
  const std::span<const int> ids = input.ids;
  const int count = static_cast<int>(ids.size());
  if (count > capacity_) return {};
  // The profile and the factors of heads are those of the other model.
  Workspace own{workspace.arena, workspace.threads};
  if (!decoding_) start(input, own);
  if (!decoding_->can_forget()) return {};
  int known = 0;
  while (known < fed_ && known + 1 < count && text_[known] == ids[known]) ++known;
  decoding_->forget(0, fed_ - known);
  text_.assign(ids.begin(), ids.end());
  const Arena::Scope scope(own.arena);
  const View logits = own.arena.take(1, input.shortlist.columns(model_->vocab()));
  most = std::min(most, capacity_ - count + 1);  // the last guess is not fed
  for (int i = 0; i < most; ++i) {
    const std::span<const int> next = std::span<const int>(text_).subspan(known);
    decoding_->forward(next, {1, static_cast<int>(next.size())}, logits, own);
    known = count_of(text_);
    const float* row = logits.row(0);
    text_.push_back(input.shortlist.id(static_cast<int>(std::max_element(row, row + logits.cols) - row)));
  }
  fed_ = known;
  return std::span<const int>(text_).subspan(ids.size());
}

}  // namespace transformer

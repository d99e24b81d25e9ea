#include "generation/generator.h"

#include <algorithm>

namespace transformer {

namespace {

// How many tokens a sequence may grow. The last one is chosen, but never fed.
int room_for(int max_length, std::size_t prompt_length, int wanted) {
  const int length = static_cast<int>(prompt_length);
  require(length < max_length, "the prompt is ", length, " tokens long, but the model has only ", max_length,
          " positions");
  return std::min(wanted, max_length - length + 1);
}

}  // namespace

Generator::Generator(std::unique_ptr<const SequenceModel> model, const GenerationInput& input,
                     const GenerationOptions& options, Workspace& workspace)
    : model_(std::move(model)),
      options_(options),
      workspace_(workspace),
      rows_per_search_(options.num_beams > 1 ? options.num_beams : options.num_return_sequences) {
  validate(options, model_->vocab());
  const std::size_t size = input.prompts.size();
  require(size > 0, "there is nothing to generate from");
  const std::size_t sources = input.source_vectors.data ? size : input.sources.size();
  require(sources == (model_->has_encoder() ? size : 0), "the numbers of source and prompt sequences differ");
  require(input.padding.empty() || input.padding.size() == size, "the numbers of prompts and of their paddings differ");

  const int max_length = model_->max_length();
  std::size_t longest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<int>& prompt = input.prompts[i];
    const int padding = input.padding.empty() ? 0 : input.padding[i];
    require(padding >= 0 && static_cast<std::size_t>(padding) < prompt.size(),
            "every sequence needs at least one token to begin with");
    prompts_.emplace_back(prompt.begin() + padding, prompt.end());
    longest = std::max(longest, prompts_.back().size());
    const int room = room_for(max_length, prompts_.back().size(), options.max_new_tokens);
    searches_.push_back(make_search(options_, prompt, room));
  }
  const int rows = static_cast<int>(size) * rows_per_search_;
  const int capacity = room_for(max_length, longest, options.max_new_tokens) + static_cast<int>(longest);
  const Shortlist shortlist(options);
  decoding_ = model_->start(input, {rows, capacity}, shortlist, workspace_);
  logits_ = Tensor({rows, shortlist.is_everything() ? model_->vocab() : static_cast<int>(shortlist.ids().size())});
}

bool Generator::done() const {
  return std::all_of(searches_.begin(), searches_.end(), [](const auto& search) { return search->done(); });
}

// The tokens that all prompts have room for, in one pass.
void Generator::feed_prompts() {
  std::size_t shortest = prompts_.front().size();
  for (const std::vector<int>& prompt : prompts_) shortest = std::min(shortest, prompt.size());
  std::vector<int> tokens;
  for (const std::vector<int>& prompt : prompts_) {
    for (int row = 0; row < rows_per_search_; ++row) {
      tokens.insert(tokens.end(), prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(shortest));
    }
  }
  decoding_->forward(tokens, static_cast<int>(shortest), logits_.matrix(), workspace_);
}

void Generator::step() {
  if (done()) return;
  if (decoding_->length() == 0) feed_prompts();

  const auto length = static_cast<std::size_t>(decoding_->length());  // the same for every row
  tokens_.clear();
  sources_.clear();
  for (std::size_t i = 0; i < searches_.size(); ++i) {
    const int first_row = static_cast<int>(i) * rows_per_search_;
    Search& search = *searches_[i];
    const bool in_prompt = length < prompts_[i].size();
    if (!in_prompt && !search.done()) {
      const PathScope part(workspace_, "search");
      search.advance(logits_.matrix().row_range(first_row, rows_per_search_), workspace_);
    }
    for (int row = 0; row < rows_per_search_; ++row) {
      const auto at = static_cast<std::size_t>(row);
      // A longer prompt is fed token by token while the shorter ones already choose; a search that is done is fed
      // what it chose last, and nobody looks.
      tokens_.push_back(in_prompt ? prompts_[i][length] : search.last_tokens()[at]);
      sources_.push_back(first_row + (in_prompt || search.done() ? row : search.sources()[at]));
    }
  }
  if (done()) return;
  decoding_->reorder(sources_, workspace_.threads);
  decoding_->forward(tokens_, 1, logits_.matrix(), workspace_);
}

}  // namespace transformer

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

Generator::Generator(const Transformer& model, const GenerationInput& input, const GenerationOptions& options,
                     Workspace& workspace)
    : model_(model),
      options_(options),
      workspace_(workspace),
      rows_per_search_(options.num_beams > 1 ? options.num_beams : options.num_return_sequences) {
  require(model.has_decoder() && model.has_projection(), "this model has no decoder with an output projection");
  require(model.config().decoder.vocab > 0,
          "this model's decoder takes embeddings, so it cannot be fed the tokens that it chose");
  validate(options, model.config().projection.vocab);
  const std::size_t size = input.prompts.size();
  require(size > 0, "there is nothing to generate from");
  const std::size_t sources = input.source_vectors.data ? size : input.sources.size();
  require(sources == (model.has_encoder() ? size : 0), "the numbers of source and prompt sequences differ");
  require(input.padding.empty() || input.padding.size() == size, "the numbers of prompts and of their paddings differ");

  const int max_length = model.decoder().max_length();
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
  const Memory memory = model.has_encoder() ? encode(input) : Memory{};
  state_.emplace(model.decoder().start(memory, rows, capacity, workspace_));
  const Shortlist shortlist(options);
  if (!shortlist.is_everything()) shortlist_.emplace(model.projection().select(shortlist.ids()));
  logits_ = Tensor({rows, projection().vocab()});
}

Memory Generator::encode(const GenerationInput& input) {
  if (!input.source_vectors.data) return encode_ids(input.sources);
  const int batch = static_cast<int>(prompts_.size());
  const ConstView vectors = input.source_vectors;
  require(vectors.rows % batch == 0, vectors.rows, " source vectors cannot be shared by ", batch, " sequences");
  const int keys = vectors.rows / batch;
  memory_ = Tensor({batch, keys, model_.config().d_model()});
  model_.encoder().forward({.batch = batch, .time = keys, .vectors = vectors}, {}, memory_.matrix(), workspace_);
  return {memory_.matrix(), batch, keys};
}

Memory Generator::encode_ids(const std::vector<std::vector<int>>& sources) {
  const int batch = static_cast<int>(sources.size());
  std::size_t longest = 0;
  for (const std::vector<int>& source : sources) {
    require(!source.empty(), "a source sequence is empty");
    longest = std::max(longest, source.size());
  }
  const int keys = static_cast<int>(longest);
  std::vector<int> ids;
  memory_padding_ = Tensor::zeros({batch, keys});
  for (int row = 0; row < batch; ++row) {
    const std::vector<int>& source = sources[static_cast<std::size_t>(row)];
    const int length = static_cast<int>(source.size());
    ids.insert(ids.end(), source.begin(), source.end());
    ids.insert(ids.end(), static_cast<std::size_t>(keys - length), source.back());  // any token: it is masked
    std::fill_n(memory_padding_.matrix().row(row) + length, keys - length, kForbidden);
  }
  memory_ = Tensor({batch, keys, model_.config().d_model()});
  Mask mask;
  mask.padding = padding();
  model_.encoder().forward({.batch = batch, .time = keys, .ids = ids}, mask, memory_.matrix(), workspace_);
  return {memory_.matrix(), batch, keys};
}

ScoreBias Generator::padding() const {
  if (memory_padding_.empty()) return {};
  return {.data = memory_padding_.data(), .batch = memory_padding_.axis(1), .key = 1};
}

// Feeds `time` tokens to every row and leaves the logits of the last one.
void Generator::decode(std::span<const int> tokens, int time) {
  const Arena::Scope scope(workspace_.arena);
  const int rows = logits_.axis(0);
  const View hidden = workspace_.arena.take(rows * time, model_.config().d_model());
  DecoderMasks masks;
  masks.self.causal = true;
  masks.cross.padding = padding();
  model_.decoder().forward({.batch = rows, .time = time, .ids = tokens}, *state_, masks, hidden, workspace_);
  const ConstView last = {hidden.row(time - 1), rows, hidden.cols, hidden.stride * time};
  projection().forward(last, logits_.matrix(), workspace_);
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
  decode(tokens, static_cast<int>(shortest));
}

void Generator::step() {
  if (done()) return;
  if (state_->length(0) == 0) feed_prompts();

  const auto length = static_cast<std::size_t>(state_->length(0));  // the same for every row
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
  state_->reorder(sources_, workspace_.threads);
  decode(tokens_, 1);
}

}  // namespace transformer

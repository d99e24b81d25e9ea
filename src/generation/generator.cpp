#include "generation/generator.h"

#include <algorithm>

namespace transformer {

namespace {

// The number of tokens that may be generated. The last one needs no position: it is never fed to the decoder.
int room_for(int max_length, int prompt_length, int wanted) {
  require(prompt_length < max_length, "the prompt is ", prompt_length, " tokens long, but the model has only ",
          max_length, " positions");
  return std::min(wanted, max_length - prompt_length + 1);
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
          "this model's decoder takes vectors, so it cannot be fed the tokens that it generates");
  validate(options, model.config().projection.vocab);
  const int size = count_of(input.prompts), paddings = count_of(input.padding);
  require(size > 0, "there are no prompts to generate from");
  const int sources = input.source_vectors.data ? size : count_of(input.sources);
  require(model.has_encoder() || sources == 0, "this model has no encoder, so it takes no sources");
  require(!model.has_encoder() || sources == size, "the number of sources (", sources,
          ") differs from the number of prompts (", size, ")");
  require(paddings == 0 || paddings == size, "the number of padding lengths (", paddings,
          ") differs from the number of prompts (", size, ")");

  const int max_length = model.decoder().max_length();
  int longest = 0;
  for (int i = 0; i < size; ++i) {
    const std::vector<int>& prompt = input.prompts[i];
    const int padding = input.padding.empty() ? 0 : input.padding[i];
    require(padding >= 0 && padding < count_of(prompt), "every prompt needs at least one token besides its padding");
    prompts_.emplace_back(prompt.begin() + padding, prompt.end());
    longest = std::max(longest, count_of(prompts_.back()));
    const int room = room_for(max_length, count_of(prompts_.back()), options.max_new_tokens);
    searches_.push_back(make_search(options_, prompt, room));
  }
  const int rows = size * rows_per_search_;
  const int capacity = room_for(max_length, longest, options.max_new_tokens) + longest;
  const Memory memory = model.has_encoder() ? encode(input) : Memory{};
  state_.emplace(model.decoder().start(memory, rows, capacity, workspace_));
  const Shortlist shortlist(options);
  if (!shortlist.is_everything()) shortlist_.emplace(model.projection().select(shortlist.ids()));
  logits_ = Tensor({rows, projection().vocab()});
}

Memory Generator::encode(const GenerationInput& input) {
  if (!input.source_vectors.data) return encode_ids(input.sources);
  const int batch = count_of(prompts_);
  const ConstView vectors = input.source_vectors;
  require(vectors.rows % batch == 0, vectors.rows, " source vectors cannot be divided among ", batch, " sequences");
  const int keys = vectors.rows / batch;
  memory_ = Tensor({batch, keys, model_.config().d_model()});
  model_.encoder().forward({.batch = batch, .time = keys, .vectors = vectors}, {}, memory_.matrix(), workspace_);
  return {memory_.matrix(), batch, keys};
}

Memory Generator::encode_ids(const std::vector<std::vector<int>>& sources) {
  const int batch = count_of(sources);
  int keys = 0;
  for (const std::vector<int>& source : sources) {
    require(!source.empty(), "a source is empty: it needs at least one token");
    keys = std::max(keys, count_of(source));
  }
  std::vector<int> ids;
  memory_padding_ = Tensor::zeros({batch, keys});
  for (int row = 0; row < batch; ++row) {
    const std::vector<int>& source = sources[row];
    const int length = count_of(source);
    ids.insert(ids.end(), source.begin(), source.end());
    ids.insert(ids.end(), keys - length, source.back());  // padding: any id, since it is masked
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

// Feeds `time` tokens to every row; logits_ becomes the logits of the token after the last.
void Generator::decode(std::span<const int> ids, int time) {
  const Arena::Scope scope(workspace_.arena);
  const int rows = logits_.axis(0);
  const View hidden = workspace_.arena.take(rows * time, model_.config().d_model());
  DecoderMasks masks;
  masks.self.causal = true;
  masks.cross.padding = padding();
  model_.decoder().forward({.batch = rows, .time = time, .ids = ids}, *state_, masks, hidden, workspace_);
  const ConstView last = {hidden.row(time - 1), rows, hidden.cols, hidden.stride * time};
  projection().forward(last, logits_.matrix(), workspace_);
}

bool Generator::done() const {
  return std::all_of(searches_.begin(), searches_.end(), [](const auto& search) { return search->done(); });
}

// As many ids of every prompt as the shortest one has, in one pass.
void Generator::feed_prompts() {
  int shortest = count_of(prompts_.front());
  for (const std::vector<int>& prompt : prompts_) shortest = std::min(shortest, count_of(prompt));
  std::vector<int> ids;
  for (const std::vector<int>& prompt : prompts_) {
    for (int row = 0; row < rows_per_search_; ++row) {
      ids.insert(ids.end(), prompt.begin(), prompt.begin() + shortest);
    }
  }
  decode(ids, shortest);
}

void Generator::step() {
  if (done()) return;
  if (state_->length(0) == 0) feed_prompts();

  const int length = state_->length(0);  // the same for every row
  ids_.clear();
  parents_.clear();
  for (int i = 0; i < size(); ++i) {
    const int first_row = i * rows_per_search_;
    Search& search = *searches_[i];
    const bool in_prompt = length < count_of(prompts_[i]);
    if (!in_prompt && !search.done()) {
      const PathScope part(workspace_, "search");
      search.advance(logits_.matrix().row_range(first_row, rows_per_search_), workspace_);
    }
    for (int row = 0; row < rows_per_search_; ++row) {
      // The rest of a longer prompt is fed token by token while shorter ones already generate. A finished search keeps
      // its rows; what they are fed no longer matters.
      ids_.push_back(in_prompt ? prompts_[i][length] : search.last_ids()[row]);
      parents_.push_back(first_row + (in_prompt || search.done() ? row : search.parents()[row]));
    }
  }
  if (done()) return;
  state_->reorder(parents_, workspace_.threads);
  decode(ids_, 1);
}

}  // namespace transformer

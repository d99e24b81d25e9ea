// The transformer as a generator sees it.
#include "generation/sequence_model.h"
#include "transformer/pass.h"

namespace transformer {

namespace {

class TransformerDecoding : public Decoding {
 public:
  TransformerDecoding(const Transformer& model, const GenerationInput& input, const DecodingSize& size,
                      const Shortlist& shortlist, Workspace& workspace)
      : model_(model), rows_(size.rows) {
    const Memory memory = model.has_encoder() ? encode(input, workspace) : Memory{};
    state_.emplace(model.decoder().start(memory, size.rows, size.capacity, workspace));
    if (!shortlist.is_everything()) shortlist_.emplace(model.projection().select(shortlist.ids()));
  }

  int length() const override { return state_->length(0); }

  void reorder(std::span<const int> sources, ThreadPool& threads) override { state_->reorder(sources, threads); }

  void forward(std::span<const int> tokens, int time, View logits, Workspace& workspace) override {
    const Arena::Scope scope(workspace.arena);
    const View hidden = workspace.arena.take(rows_ * time, model_.config().d_model());
    DecoderMasks masks;
    masks.self.causal = true;
    masks.cross.padding = padding();
    model_.decoder().forward({.batch = rows_, .time = time, .ids = tokens}, *state_, masks, hidden, workspace);
    const ConstView last = {hidden.row(time - 1), rows_, hidden.cols, hidden.stride * time};
    project(model_, shortlist_ ? *shortlist_ : model_.projection(), last, logits, workspace);
  }

 private:
  Memory encode(const GenerationInput& input, Workspace& workspace) {
    if (!input.source_vectors.data && !input.memory.data) return encode_ids(input.sources, workspace);
    const int batch = count_of(input.prompts);
    const ConstView vectors = input.memory.data ? input.memory : input.source_vectors;
    require(vectors.rows % batch == 0, vectors.rows, " source vectors cannot be divided among ", batch, " sequences");
    const int time = vectors.rows / batch;
    if (!input.memory.data) return encode({.batch = batch, .time = time, .vectors = vectors}, workspace);
    require(vectors.cols == model_.config().memory_width(), "the memory needs vectors of ",
            model_.config().memory_width(), " numbers, got ", vectors.cols);
    return {vectors, batch, time};
  }

  Memory encode_ids(const std::vector<std::vector<int>>& sources, Workspace& workspace) {
    const PaddedIds padded(sources);
    memory_padding_ = Tensor::zeros({padded.batch, padded.time});
    for (int row = 0; row < padded.batch; ++row) {
      const int length = padded.lengths[static_cast<std::size_t>(row)];
      std::fill_n(memory_padding_.matrix().row(row) + length, padded.time - length, kForbidden);
    }
    return encode({.batch = padded.batch, .time = padded.time, .ids = padded.ids}, workspace);
  }

  Memory encode(const Sequences& sources, Workspace& workspace) {
    memory_ = Tensor({sources.batch, sources.time, model_.config().memory_width()});
    Mask mask;
    mask.padding = padding();
    model_.encoder().forward(sources, mask, memory_.matrix(), workspace);
    return {memory_.matrix(), sources.batch, sources.time};
  }

  ScoreBias padding() const {  // of the sources
    if (memory_padding_.empty()) return {};
    return {.data = memory_padding_.data(), .batch = memory_padding_.axis(1), .key = 1};
  }

  const Transformer& model_;
  int rows_;
  Tensor memory_;          // [batch, keys, memory_width]
  Tensor memory_padding_;  // [batch, keys], 0 or -inf
  std::optional<DecoderState> state_;
  std::optional<OutputProjection> shortlist_;  // the columns of the projection that are wanted, where not all are
};

class TransformerModel : public SequenceModel {
 public:
  explicit TransformerModel(const Transformer& model) : model_(model) {
    require(model.has_decoder() && model.has_projection(), "this model has no decoder with an output projection");
    require(model.config().decoder.vocab > 0,
            "this model's decoder takes vectors, so it cannot be fed the tokens that it generates");
  }

  int vocab() const override { return model_.config().projection.vocab; }
  bool has_encoder() const override { return model_.has_encoder(); }
  int max_length() const override { return model_.decoder().max_length(); }
  std::unique_ptr<Decoding> start(const GenerationInput& input, const DecodingSize& size, const Shortlist& shortlist,
                                  Workspace& workspace) const override {
    return std::make_unique<TransformerDecoding>(model_, input, size, shortlist, workspace);
  }

 private:
  const Transformer& model_;
};

}  // namespace

std::unique_ptr<const SequenceModel> make_sequence_model(const Transformer& model) {
  return std::make_unique<TransformerModel>(model);
}

}  // namespace transformer

// The transformer as a generator sees it.
#include "generation/sequence_model.h"
#include "transformer/pass.h"

namespace transformer {

namespace {

class TransformerDecoding : public Decoding {
 public:
  TransformerDecoding(const Transformer& model, const GenerationInput& input, const DecodingSize& size,
                      const Shortlist& shortlist, Workspace& workspace)
      : model_(model) {
    const int batch = count_of(input.prompts);
    if (!shortlist.is_everything()) shortlist_.emplace(model.projection().select(shortlist.ids()));
    if (!model.has_encoder()) {
      start({}, size, workspace);
    } else if (input.memory.data) {
      require_vectors(input.memory, batch);
      const int width = model.config().memory_width();
      require(input.memory.cols == width, "the memory needs vectors of ", width, " numbers, got ", input.memory.cols);
      start({input.memory, batch, input.memory.rows / batch}, size, workspace);
    } else if (input.source_vectors.data) {
      const ConstView vectors = input.source_vectors;
      require_vectors(vectors, batch);
      encode_and_start({.batch = batch, .time = vectors.rows / batch, .vectors = vectors}, size, workspace);
    } else {
      const JoinedIds sources(input.sources);
      encode_and_start({.batch = batch, .time = sources.longest, .ids = sources.ids, .offsets = sources.offsets}, size,
                       workspace);
    }
  }

  void reorder(std::span<const int> parents) override { state_->reorder(parents); }

  bool join(Decoding& other) override {
    auto& joining = static_cast<TransformerDecoding&>(other);  // of the same model, so of the same class
    if (shortlist_ || joining.shortlist_) return false;
    state_->join(std::move(*joining.state_));
    return true;
  }

  void forward(std::span<const int> tokens, const Segments& rows, View logits, Workspace& workspace) override {
    const Arena::Scope scope(workspace.arena);
    const View hidden = workspace.arena.take(rows.rows(), model_.config().d_model());
    DecoderMasks masks;
    masks.self.causal = true;
    const Sequences next = {.batch = rows.batch, .time = rows.time, .ids = tokens, .offsets = rows.offsets};
    model_.decoder().forward(next, *state_, masks, hidden, workspace);
    View read = hidden;
    if (logits.rows != hidden.rows) {
      read = workspace.arena.take(rows.batch, hidden.cols);
      for (int row = 0; row < rows.batch; ++row)
        std::copy_n(hidden.row(rows.first(row + 1) - 1), read.cols, read.row(row));
    }
    project(model_, shortlist_ ? *shortlist_ : model_.projection(), read, logits, workspace);
  }

  bool can_forget() const override { return !model_.decoder().depends_on_length(); }
  void forget(int row, int count) override { state_->forget(row, count); }

 private:
  static void require_vectors(ConstView vectors, int batch) {
    require(vectors.rows % batch == 0, vectors.rows, " source vectors cannot be divided among ", batch, " sequences");
  }

  void encode_and_start(const Sequences& sources, const DecodingSize& size, Workspace& workspace) {
    Tensor memory({sources.segments().rows(), model_.config().memory_width()});
    model_.encoder().forward(sources, {}, memory.matrix(), workspace);
    start({memory.matrix(), sources.batch, sources.time, sources.offsets}, size, workspace);
  }

  void start(const Memory& memory, const DecodingSize& size, Workspace& workspace) {
    state_.emplace(model_.decoder().start(memory, size.rows, size.capacity, workspace));
  }

  const Transformer& model_;
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

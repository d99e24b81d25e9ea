// The recurrent encoder-decoder as a generator sees it.
#include "generation/sequence_model.h"
#include "positions/position_scheme.h"
#include "recurrent/encoder_decoder.h"

namespace transformer {

namespace {

class RecurrentDecoding : public Decoding {
 public:
  RecurrentDecoding(const RecurrentEncoderDecoder& model, RecurrentDecoderState state, const Shortlist& shortlist)
      : model_(model), state_(std::move(state)) {
    if (!shortlist.is_everything()) shortlist_.emplace(model.projection().select(shortlist.ids()));
  }

  int length() const override { return state_.length(); }

  void reorder(std::span<const int> sources, ThreadPool&) override { state_.reorder(sources); }

  void forward(std::span<const int> tokens, int time, View logits, Workspace& workspace) override {
    const Arena::Scope scope(workspace.arena);
    const int rows = state_.rows();
    const View readout = workspace.arena.take(rows * time, model_.config().d_readout);
    model_.decoder().forward(tokens, state_, readout, workspace);
    const ConstView last = {readout.row(time - 1), rows, readout.cols, readout.stride * time};
    (shortlist_ ? *shortlist_ : model_.projection()).forward(last, logits, workspace);
  }

 private:
  const RecurrentEncoderDecoder& model_;
  RecurrentDecoderState state_;
  std::optional<Linear> shortlist_;  // the columns of the projection that are wanted, where not all are
};

class RecurrentModel : public SequenceModel {
 public:
  explicit RecurrentModel(const RecurrentEncoderDecoder& model) : model_(model) {}

  int vocab() const override { return model_.config().target_vocab; }
  bool has_encoder() const override { return true; }
  int max_length() const override { return PositionScheme::kUnlimited; }
  std::unique_ptr<Decoding> start(const GenerationInput& input, const DecodingSize& size, const Shortlist& shortlist,
                                  Workspace& workspace) const override {
    require(!input.source_vectors.data && !input.memory.data, "the model takes token ids, not embeddings");
    const PaddedIds source(input.sources);
    RecurrentMemory memory =
        model_.encoder().forward({source.ids, source.batch, source.time, source.lengths}, workspace);
    return std::make_unique<RecurrentDecoding>(model_, model_.decoder().start(std::move(memory), size.rows, workspace),
                                               shortlist);
  }

 private:
  const RecurrentEncoderDecoder& model_;
};

}  // namespace

std::unique_ptr<const SequenceModel> make_sequence_model(const RecurrentEncoderDecoder& model) {
  return std::make_unique<RecurrentModel>(model);
}

}  // namespace transformer

// The recurrent encoder-decoder as a generator sees it.
#include <numeric>

#include "generation/sequence_model.h"
#include "positions/position_scheme.h"
#include "recurrent/encoder_decoder.h"

namespace transformer {

namespace {

class RecurrentDecoding : public Decoding {
 public:
  RecurrentDecoding(const RecurrentEncoderDecoder& model, RecurrentDecoderState state, const Shortlist& shortlist)
      : model_(model), state_(std::move(state)), rows_(state_.rows()) {
    std::iota(rows_.begin(), rows_.end(), 0);
    if (!shortlist.is_everything()) shortlist_.emplace(model.projection().select(shortlist.ids()));
  }

  void reorder(std::span<const int> parents) override {
    const int rows_each = state_.rows() / count_of(state_.memory().lengths);
    std::vector<int> next, sources(state_.rows());
    std::iota(sources.begin(), sources.end(), 0);
    for (int parent : parents) {
      const int first = rows_[parent] / rows_each * rows_each;
      next.push_back(next.empty() || next.back() < first ? first : next.back() + 1);
      sources[next.back()] = rows_[parent];
    }
    state_.reorder(sources);
    rows_ = std::move(next);
  }

  void forward(std::span<const int> tokens, const Segments& rows, View logits, Workspace& workspace) override {
    const Arena::Scope scope(workspace.arena);
    const View readout = workspace.arena.take(state_.rows(), model_.config().d_readout);
    const View start = workspace.arena.take(state_.rows(), state_.numbers().cols);
    copy_rows(state_.numbers(), start);
    std::vector<int> ids(state_.rows());  // rows that are done are fed any token
    for (int step = 0; step < rows.time; ++step) {
      // Shorter prompts begin later, so that all end together.
      const auto token_of = [&](int row) { return step - (rows.time - rows.length(row)); };
      for (int row = 0; row < rows.batch; ++row) {
        if (token_of(row) >= 0) ids[rows_[row]] = tokens[rows.first(row) + token_of(row)];
      }
      model_.decoder().forward(ids, state_, readout, workspace);
      for (int row = 0; row < rows.batch; ++row) {
        if (token_of(row) < 0) copy_rows(start.row_range(rows_[row], 1), state_.numbers().row_range(rows_[row], 1));
      }
    }
    const View last = workspace.arena.take(rows.batch, readout.cols);
    for (int row = 0; row < rows.batch; ++row) copy_rows(readout.row_range(rows_[row], 1), last.row_range(row, 1));
    (shortlist_ ? *shortlist_ : model_.projection()).forward(last, logits, workspace);
  }

 private:
  const RecurrentEncoderDecoder& model_;
  RecurrentDecoderState state_;
  std::vector<int> rows_;            // the rows of the state that still run; it keeps all, equally many for each source
  std::optional<Linear> shortlist_;  // the columns of the projection that are wanted, where not all are
};

class RecurrentModel : public SequenceModel {
 public:
  explicit RecurrentModel(const RecurrentEncoderDecoder& model) : model_(model) {}

  int vocab() const override { return model_.config().target_vocab; }
  bool has_encoder() const override { return true; }
  int max_length() const override { return PositionScheme::kUnlimited; }
  std::unique_ptr<Decoding> start(const GenerationInput& input, const DecodingSize& size,
                                  std::span<const Shortlist> shortlists, Workspace& workspace) const override {
    require(shortlists.size() == 1, "a recurrent model has one shortlist for all inputs");
    require(input.takes_ids(), "the model takes token ids, not embeddings");
    const PaddedIds source(input.sources);
    RecurrentMemory memory =
        model_.encoder().forward({source.ids, source.batch, source.time, source.lengths}, workspace);
    return std::make_unique<RecurrentDecoding>(model_, model_.decoder().start(std::move(memory), size.rows, workspace),
                                               shortlists.front());
  }

 private:
  const RecurrentEncoderDecoder& model_;
};

}  // namespace

std::unique_ptr<const SequenceModel> make_sequence_model(const RecurrentEncoderDecoder& model) {
  return std::make_unique<RecurrentModel>(model);
}

}  // namespace transformer

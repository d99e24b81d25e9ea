// The transformer as a generator sees it.
#include "generation/sequence_model.h"
#include "transformer/logits.h"
#include "transformer/pass.h"
#include "transformer/without_padding.h"

namespace transformer {

namespace {

class TransformerDecoding : public Decoding {
 public:
  TransformerDecoding(const Transformer& model, const GenerationInput& input, const DecodingSize& size,
                      std::span<const Shortlist> shortlists, Workspace& workspace)
      : model_(model) {
    const int batch = count_of(input.prompts);
    select(shortlists, size.rows);
    if (!model.has_encoder()) {
      start({}, size, workspace);
    } else if (input.memory.data) {
      require_vectors(input.memory, batch);
      const int width = model.config().memory_width();
      require(input.memory.cols == width, "the memory needs vectors of ", width, " numbers, got ", input.memory.cols);
      start({input.memory, batch, input.memory.rows / batch}, size, workspace);
    } else if (input.media) {
      require(model.front(), "this model takes neither sound nor pictures");
      const EncodedMedia media = model.front()->forward(*input.media, workspace);
      require(media.vectors.axis(0) == batch, media.vectors.axis(0), " inputs for ", batch, " sequences");
      encode_media_and_start(media, size, workspace);
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

  void reorder(std::span<const int> parents) override {
    state_->reorder(parents);
    std::vector<int> lists;
    for (int parent : parents) lists.push_back(lists_[parent]);
    lists_ = std::move(lists);
  }

  bool join(Decoding& other) override {
    auto& joining = static_cast<TransformerDecoding&>(other);  // of the same model, so of the same class
    shortlists_.reserve(shortlists_.size() + joining.shortlists_.size());
    lists_.reserve(lists_.size() + joining.lists_.size());
    state_->join(std::move(*joining.state_));
    for (int list : joining.lists_) lists_.push_back(list < 0 ? list : count_of(shortlists_) + list);
    for (OutputProjection& shortlist : joining.shortlists_) shortlists_.push_back(std::move(shortlist));
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
    project_rows(read, rows, logits, workspace);
  }

  bool can_forget() const override { return !model_.decoder().depends_on_length(); }
  void forget(int row, int count) override { state_->forget(row, count); }

 private:
  static void require_vectors(ConstView vectors, int batch) {
    require(vectors.rows % batch == 0, vectors.rows, " source vectors cannot be divided among ", batch, " sequences");
  }

  // The columns of the projection that are wanted, for each list; rows with the same input are neighbours.
  void select(std::span<const Shortlist> shortlists, int rows) {
    lists_.assign(rows, -1);
    if (shortlists.front().is_everything()) return;
    for (const Shortlist& list : shortlists) shortlists_.push_back(model_.projection().select(list.ids()));
    for (int row = 0; row < rows; ++row) lists_[row] = row / (rows / count_of(shortlists_));
  }

  // hidden: the last state of each row, or all of them
  void project_rows(View hidden, const Segments& rows, View logits, Workspace& workspace) const {
    const auto first_of = [&](int row) { return logits.rows == rows.batch ? row : rows.first(row); };
    for (int row = 0, end = 0; row < rows.batch; row = end) {
      while (end < rows.batch && lists_[end] == lists_[row]) ++end;
      const OutputProjection& projection = lists_[row] < 0 ? model_.projection() : shortlists_[lists_[row]];
      const int first = first_of(row), count = first_of(end) - first;
      project(model_, projection, hidden.row_range(first, count),
              logits.row_range(first, count).column_range(0, projection.vocab()), workspace);
    }
  }

  void encode_and_start(const Sequences& sources, const DecodingSize& size, Workspace& workspace) {
    Tensor memory({sources.segments().rows(), model_.config().memory_width()});
    model_.encoder().forward(sources, {}, memory.matrix(), workspace);
    start({memory.matrix(), sources.batch, sources.time, sources.offsets}, size, workspace);
  }

  // Without the padding at the end of each.
  void encode_media_and_start(const EncodedMedia& media, const DecodingSize& size, Workspace& workspace) {
    Sequences sources = {.batch = media.vectors.axis(0),
                         .time = media.vectors.axis(1),
                         .vectors = media.vectors.matrix(),
                         .columns = media.grid.columns};
    if (media.mask.empty()) {
      encode_and_start(sources, size, workspace);
      return;
    }
    OwnedMask mask = make_mask({{}, {}, media.mask.clone()}, {}, {sources.batch, 1, 1, sources.time});
    const WithoutPadding real(sources, mask.view.padding);
    sources = real.sequences();
    for (int row = 0; row < sources.batch; ++row)
      require(sources.segments().length(row) > 0, "attentionMask leaves nothing of a row");
    encode_and_start(sources, size, workspace);
  }

  void start(const Memory& memory, const DecodingSize& size, Workspace& workspace) {
    state_.emplace(model_.decoder().start(memory, size.rows, size.capacity, workspace));
  }

  const Transformer& model_;
  std::optional<DecoderState> state_;
  std::vector<OutputProjection> shortlists_;  // the columns of the projection that are wanted, where not all are
  std::vector<int> lists_;                    // which of them each row has; -1: all columns
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
  bool can_share() const override { return true; }
  std::unique_ptr<Decoding> start(const GenerationInput& input, const DecodingSize& size,
                                  std::span<const Shortlist> shortlists, Workspace& workspace) const override {
    return std::make_unique<TransformerDecoding>(model_, input, size, shortlists, workspace);
  }

 private:
  const Transformer& model_;
};

}  // namespace

std::unique_ptr<const SequenceModel> make_sequence_model(const Transformer& model) {
  return std::make_unique<TransformerModel>(model);
}

}  // namespace transformer

// The transformer as a generator sees it.
#include <algorithm>

#include "generation/search.h"
#include "generation/sequence_model.h"
#include "kernels/online_softmax.h"
#include "transformer/logits.h"
#include "transformer/pass.h"
#include "transformer/without_padding.h"

namespace transformer {

namespace {

class TransformerDecoding : public Decoding {
 public:
  TransformerDecoding(const Transformer& model, const GenerationInput& input, const DecodingSize& size,
                      std::span<const Shortlist> shortlists, Workspace& workspace)
      : model_(model), prefixes_(input.prefixes) {
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
      encode_ids_and_start(input.sources, size, workspace);
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
    const View hidden = feed(tokens, rows, workspace);
    View read = hidden;
    if (logits.rows != hidden.rows) {
      read = workspace.arena.take(rows.batch, hidden.cols);
      for (int row = 0; row < rows.batch; ++row)
        std::copy_n(hidden.row(rows.first(row + 1) - 1), read.cols, read.row(row));
    }
    project_rows(read, rows, logits, workspace);
  }

  // Keys and values are the same whatever follows, but not where positions depend on the length.
  bool remembers(int tokens) const override {
    if (!prefixes_ || !can_forget() || !state_->has_pages()) return false;
    return state_->page_bytes() * (tokens / KvCache::kPageTokens) <= prefixes_->limit();
  }

  std::vector<std::size_t> page_floats() const override {
    if (!remembers(KvCache::kPageTokens)) return {};
    return state_->page_floats();
  }

  int recall(int row, std::span<const int> ids) override {
    if (!remembers(KvCache::kPageTokens)) return 0;
    int known = 0, page = PrefixCache::kFirst;
    prefixes_->begin();
    for (; known + KvCache::kPageTokens < count_of(ids); known += KvCache::kPageTokens) {
      page = prefixes_->find(page, ids.subspan(known, KvCache::kPageTokens));
      if (page < 0) break;
      state_->adopt_pages(row, prefixes_->page(page));
    }
    prefixes_->count_recalled(known);
    return known;
  }

  void remember(int row, std::span<const int> ids, int fed) override {
    const int pages = count_of(ids) / KvCache::kPageTokens;
    const int before_them = (count_of(ids) - fed) / KvCache::kPageTokens;
    if (pages == before_them || !remembers(KvCache::kPageTokens)) return;
    prefixes_->begin();
    for (int i = 0, before = PrefixCache::kFirst; i < pages; ++i) {
      const auto own = ids.subspan(i * KvCache::kPageTokens, KvCache::kPageTokens);
      const int known = prefixes_->find(before, own);
      before = known >= 0 ? known : prefixes_->add(before, own, state_->share_pages(row, i));
      if (before < 0) break;  // there is no room for it
    }
  }

  bool can_forget() const override { return !model_.decoder().depends_on_length(); }
  void forget(int row, int count) override { state_->forget(row, count); }

  // The logits of a few tokens at a time: those of all of them would take more memory than the model.
  void score(std::span<const int> tokens, const Segments& rows, std::span<const int> next, std::span<float> scores,
             Workspace& workspace) override {
    constexpr int kTogether = 16;
    const Arena::Scope scope(workspace.arena);
    const View hidden = feed(tokens, rows, workspace);
    const View states = workspace.arena.take(kTogether, hidden.cols);
    const View logits = workspace.arena.take(kTogether, model_.projection().vocab());
    std::vector<RowSummary> summaries(kTogether);
    std::vector<int> places;
    for (int place = 0; place < hidden.rows; ++place) {
      if (next[place] >= 0) {
        std::copy_n(hidden.row(place), hidden.cols, states.row(count_of(places)));
        places.push_back(place);
      }
      const int count = count_of(places);
      if (count < kTogether && (place + 1 < hidden.rows || count == 0)) continue;
      const View own = logits.row_range(0, count);
      project(model_, model_.projection(), states.row_range(0, count), own, workspace);
      summarize_rows(own, std::span(summaries).first(count), workspace);
      for (int i = 0; i < count; ++i) {
        require_finite(summaries[i].maximum);
        scores[places[i]] = summaries[i].log_probability(own.row(i)[next[places[i]]]);
      }
      places.clear();
    }
  }

 private:
  // In the arena: what the decoder makes of the next tokens, [tokens of all rows, d_model].
  View feed(std::span<const int> tokens, const Segments& rows, Workspace& workspace) {
    const View hidden = workspace.arena.take(rows.rows(), model_.config().d_model());
    DecoderMasks masks;
    masks.self.causal = true;
    const Sequences next = {.batch = rows.batch, .time = rows.time, .ids = tokens, .offsets = rows.offsets};
    model_.decoder().forward(next, *state_, masks, hidden, workspace);
    return hidden;
  }

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

  // Sources that are known are not encoded again.
  void encode_ids_and_start(const std::vector<std::vector<int>>& given, const DecodingSize& size,
                            Workspace& workspace) {
    const JoinedIds all(given);
    const Segments segments = all.segments();
    const int width = model_.config().memory_width();
    std::vector<PrefixCache::Page> known(given.size());
    std::vector<int> places(given.size());  // of those that are not known among themselves
    std::vector<std::vector<int>> unknown;
    if (prefixes_) prefixes_->begin();
    for (int i = 0; i < segments.batch; ++i) {
      const int found = prefixes_ ? prefixes_->find(PrefixCache::kSource, given[i]) : -1;
      if (found >= 0) {
        known[i] = prefixes_->page(found);
        continue;
      }
      places[i] = static_cast<int>(std::find(unknown.begin(), unknown.end(), given[i]) - unknown.begin());
      if (places[i] == count_of(unknown)) unknown.push_back(given[i]);
    }
    const JoinedIds joined(unknown);
    const Segments rest = joined.segments();
    Tensor memory({rest.rows(), width});
    if (rest.batch > 0) {
      const Sequences sources = {.batch = rest.batch, .time = rest.time, .ids = joined.ids, .offsets = joined.offsets};
      model_.encoder().forward(sources, {}, memory.matrix(), workspace);
    }
    const auto encoded = [&](int place) { return memory.matrix().row_range(rest.first(place), rest.length(place)); };
    for (int i = 0; prefixes_ && i < rest.batch; ++i) remember_source(unknown[i], encoded(i));
    if (rest.batch < segments.batch) {
      Tensor all_of_them({segments.rows(), width});
      for (int i = 0; i < segments.batch; ++i) {
        const int rows = segments.length(i);
        const ConstView own =
            known[i].empty() ? ConstView(encoded(places[i])) : ConstView{known[i].front()->data(), rows, width, width};
        copy_rows(own, all_of_them.matrix().row_range(segments.first(i), rows));
      }
      memory = std::move(all_of_them);
    }
    start({memory.matrix(), segments.batch, segments.time, all.offsets}, size, workspace);
  }

  void remember_source(std::span<const int> ids, ConstView encoded) {
    auto page = std::make_shared<Buffer>(float_count({encoded.rows, encoded.cols}));
    copy_rows(encoded, {page->data(), encoded.rows, encoded.cols, encoded.cols});
    prefixes_->add(PrefixCache::kSource, ids, {std::move(page)});
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
  PrefixCache* prefixes_;  // or null
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

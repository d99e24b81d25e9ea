// A stack of decoder layers, and the state that it keeps from token to token.
#pragma once

#include <vector>

#include "transformer/decoder_layer.h"
#include "transformer/encoder.h"

namespace transformer {

// The key/value caches and cells of a batch of sequences. Made by Decoder::start, extended by Decoder::forward.
class DecoderState {
 public:
  int rows() const { return cells_.empty() ? (self_.empty() ? 0 : self_.front().rows()) : cells_.front().rows(); }
  int length(int row) const { return cells_.empty() ? self_.front().length(row) : cells_.front().length(row); }

  // There are parents.size() rows then: row i continues the sequence that was in row parents[i], as the surviving beams
  // of a beam search do. Rows that attend to one memory stay neighbours, and the memories in their order.
  void reorder(std::span<const int> parents);

  // The other's rows and memories follow its own. Both are of the same decoder. Either all happens or, with
  // std::bad_alloc, nothing.
  void join(DecoderState&& other);

  // Pages of keys and values of KvCache::kPageTokens tokens, one of each layer, which other states of the decoder can
  // begin with. Of layers with cells there are none.
  using Pages = std::vector<std::shared_ptr<Buffer>>;
  bool has_pages() const { return cells_.empty() && cross_.empty(); }
  std::vector<std::size_t> page_floats() const;  // of each layer
  std::size_t page_bytes() const;                // of all layers
  Pages share_pages(int row, int page) const;
  void adopt_pages(int row, const Pages& pages);

  // Forgets the last `count` tokens of a row.
  void forget(int row, int count) {
    for (KvCache& cache : self_) cache.forget(row, count);
    for (SsruCells& cells : cells_) cells.forget(row, count);
  }

 private:
  friend class Decoder;

  LayerCaches caches(int layer);

  // The rows of `tokens` that attend to each memory.
  Segments queries_of_memories(const Segments& tokens);

  std::vector<KvCache> self_;     // one per layer; empty if the layers have cells
  std::vector<SsruCells> cells_;  // one per layer, or empty
  std::vector<KvCache> cross_;    // one per layer; empty without an encoder
  std::vector<int> memories_;     // the row of cross_ that each row attends to
  std::vector<int> offsets_;      // of queries_of_memories()
};

// The encoder's output as the decoder sees it.
struct Memory {
  ConstView states = {};  // [rows of all sources, memory_width]; empty in a decoder-only model
  int batch = 0;
  int keys = 0;                       // of the longest
  std::span<const int> offsets = {};  // as in Segments

  Segments segments() const { return {batch, keys, offsets}; }
};

class Decoder {
 public:
  // scope: layers.0, layers.1, ..., norm and memory_projection (optional), and the tensors of the position scheme and
  // of the input layer
  Decoder(const WeightScope& scope, const TransformerConfig& config, SharedMatrix embedding);

  bool has_cross_attention() const { return cross_attention_; }
  int max_length() const { return positions_.max_length(); }
  // Tokens that are fed together then give other results than one by one.
  bool depends_on_length() const { return positions_.depends_on_length(); }

  // An empty state for `rows` sequences of up to `capacity` tokens. The memory's keys and values are computed here.
  // rows is a multiple of memory.batch: rows / memory.batch adjacent rows, the beams of one sequence, attend to the
  // same memory. Cross-attention treats their tokens as the queries of one sequence, so that all beams share one
  // matrix product; its masks and observed tensors have memory.batch rows.
  DecoderState start(const Memory& memory, int rows, int capacity, Workspace& workspace) const;

  // The next tokens of every row -> hidden [tokens of all rows, d_model].
  // Observable, with equally many tokens for every row, under "decoder": embeddings; per layer layers.i.output and what
  // DecoderLayer lists; output (after the final norm).
  void forward(const Sequences& next, DecoderState& state, DecoderMasks masks, View hidden, Workspace& workspace) const;

  // The final norm alone, in place; nothing where the decoder has none.
  void normalize(View hidden, Workspace& workspace) const;

 private:
  StackPositions positions_;
  InputLayer input_;
  std::vector<int> windows_;  // of each layer, or empty
  bool cross_attention_;
  std::vector<DecoderLayer> layers_;
  std::optional<Norm> norm_;
  std::optional<Linear> memory_projection_;
};

}  // namespace transformer

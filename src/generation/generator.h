// The loop: decode a token, let every search choose, feed what it chose.
#pragma once

#include "generation/search.h"
#include "transformer/transformer.h"

namespace transformer {

struct GenerationInput {
  // For the encoder, one a sequence: ids, or vectors [batch, time, d_model] where it has no embedding.
  std::vector<std::vector<int>> sources;
  ConstView source_vectors = {};
  std::vector<std::vector<int>> prompts;  // ids that the decoder begins with, at least one each
  // So many ids at the beginning of each prompt (none: of no prompt) are padding: the rules see them, as the Python
  // library's do, but the decoder does not.
  std::vector<int> padding = {};
};

// Sequences of different lengths are padded inside; what a sequence becomes does not depend on its neighbours.
class Generator {
 public:
  // Runs the encoder. The model and the workspace must outlive the generator.
  Generator(const Transformer& model, const GenerationInput& input, const GenerationOptions& options,
            Workspace& workspace);
  Generator(const Generator&) = delete;  // the searches refer to members
  Generator& operator=(const Generator&) = delete;

  bool done() const;

  // One more token for every sequence that is not done.
  void step();

  int size() const { return static_cast<int>(searches_.size()); }
  const Search& search(int index) const { return *searches_[static_cast<std::size_t>(index)]; }

 private:
  const OutputProjection& projection() const { return shortlist_ ? *shortlist_ : model_.projection(); }
  Memory encode(const GenerationInput& input);
  Memory encode_ids(const std::vector<std::vector<int>>& sources);
  ScoreBias padding() const;  // of the sources
  void feed_prompts();
  void decode(std::span<const int> tokens, int time);

  const Transformer& model_;
  GenerationOptions options_;
  std::vector<std::vector<int>> prompts_;
  Workspace& workspace_;
  Tensor memory_;          // [batch, keys, d_model]
  Tensor memory_padding_;  // [batch, keys], 0 or -inf
  std::vector<std::unique_ptr<Search>> searches_;
  int rows_per_search_;
  std::optional<DecoderState> state_;
  std::optional<OutputProjection> shortlist_;  // the columns of the projection that are wanted, where not all are
  Tensor logits_;                              // [rows, vocab]
  std::vector<int> tokens_;                    // of a step: what the rows are fed, and which rows they go on from
  std::vector<int> sources_;
};

}  // namespace transformer

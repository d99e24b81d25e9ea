// The generation loop: decode a token, let each search choose the next one, feed it to the decoder.
#pragma once

#include "generation/search.h"
#include "transformer/transformer.h"

namespace transformer {

struct GenerationInput {
  // The encoder's input, one source per sequence: ids, or vectors [batch, time, d_model] if it has no embedding.
  std::vector<std::vector<int>> sources;
  ConstView source_vectors = {};
  std::vector<std::vector<int>> prompts;  // the ids that each sequence starts with, at least one
  // The number of padding ids at the start of each prompt; empty: none are padded. The logits rules see the padding, as
  // in Hugging Face's transformers, but the decoder does not.
  std::vector<int> padding = {};
};

// Sequences may differ in length; they are padded inside, and a result does not depend on the rest of the batch.
class Generator {
 public:
  // Runs the encoder. The model and the workspace must outlive the generator.
  Generator(const Transformer& model, const GenerationInput& input, const GenerationOptions& options,
            Workspace& workspace);
  Generator(const Generator&) = delete;  // the searches refer to members
  Generator& operator=(const Generator&) = delete;

  bool done() const;

  // Generates one token for every sequence that is not done.
  void step();

  int size() const { return count_of(searches_); }
  const Search& search(int index) const { return *searches_[index]; }

 private:
  const OutputProjection& projection() const { return shortlist_ ? *shortlist_ : model_.projection(); }
  Memory encode(const GenerationInput& input);
  Memory encode_ids(const std::vector<std::vector<int>>& sources);
  ScoreBias padding() const;  // of the sources
  void feed_prompts();
  void decode(std::span<const int> ids, int time);

  const Transformer& model_;
  GenerationOptions options_;
  std::vector<std::vector<int>> prompts_;
  Workspace& workspace_;
  Tensor memory_;          // [batch, keys, d_model]
  Tensor memory_padding_;  // [batch, keys], 0 or -inf
  std::vector<std::unique_ptr<Search>> searches_;
  int rows_per_search_;
  std::optional<DecoderState> state_;
  std::optional<OutputProjection> shortlist_;  // the projection to the shortlist, if there is one
  Tensor logits_;                              // [rows, vocab]
  std::vector<int> ids_;                       // of a step: what each row is fed, and the row that it continues
  std::vector<int> parents_;
};

}  // namespace transformer

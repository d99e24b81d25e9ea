// The input of the first layer: embedding * scale + token type + position, then the embedding norm, if any. A linear
// layer may widen the embedding.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/segments.h"
#include "layers/embedding.h"
#include "transformer/config.h"

namespace transformer {

// A batch of sequences, one below the other: token ids, or in their place vectors [rows, d_model].
struct Sequences {
  int batch = 0;
  int time = 0;  // of the longest
  std::span<const int> ids = {};
  ConstView vectors = {};
  std::span<const int> token_types = {};  // of each row; empty: all are of type 0
  std::span<const int> offsets = {};      // as in Segments; empty: all have the length `time`
  int columns = 0;                        // as in Segments

  Segments segments() const { return {batch, time, offsets, columns}; }
};

// A stack's embedding table, or null where its input is vectors.
struct TokenEmbedding {
  SharedMatrix table;
  float scale = 1.0f;
};

// The position schemes of a stack's layers.
class StackPositions {
 public:
  // Takes the tensors of the scheme from the stack's scope.
  StackPositions(const StackConfig& stack, const WeightScope& scope, bool bidirectional);

  // Of most layers, which is also the one that adds to the input and to the scores.
  const std::shared_ptr<const PositionScheme>& main() const { return main_; }
  // The one that rotates a layer's queries and keys.
  const std::shared_ptr<const PositionScheme>& of_layer(int layer) const;

  int max_length() const;
  bool depends_on_length() const;

 private:
  std::shared_ptr<const PositionScheme> main_;
  std::shared_ptr<const PositionScheme> other_;  // or null
  std::vector<int> other_layers_;
};

class InputLayer {
 public:
  // scope: token_types, input_positions, embedding_norm, embedding_projection
  InputLayer(const WeightScope& scope, const StackConfig& stack, TokenEmbedding embedding,
             std::shared_ptr<const PositionScheme> positions);

  // -> x [rows, d_model]; the tokens of sequence b have the positions first[b], first[b] + 1, ...
  void forward(const Sequences& sequences, std::span<const int> first, View x, Workspace& workspace) const;

 private:
  void embed(const Sequences& sequences, std::span<const int> first, View x) const;
  void add_token_types(std::span<const int> types, View x) const;
  void add_positions(const Sequences& sequences, std::span<const int> first, View x) const;
  // The sum, in the embedding's width or in d_model, with its norm.
  void forward_sum(const Sequences& sequences, std::span<const int> first, View x, Workspace& workspace) const;

  int d_model_;
  bool norm_before_positions_;
  bool zero_start_;
  std::optional<Embedding> embedding_;
  Tensor token_types_;  // [types, d_model], or empty
  std::shared_ptr<const PositionScheme> positions_;
  std::shared_ptr<const PositionScheme> input_positions_;
  std::optional<Norm> norm_;
  std::optional<Linear> projection_;  // to d_model
};

}  // namespace transformer

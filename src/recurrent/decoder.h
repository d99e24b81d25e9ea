// A recurrent decoder with attention, of either design: what both have in common.
#pragma once

#include "layers/embedding.h"
#include "recurrent/config.h"
#include "recurrent/decoder_state.h"

namespace transformer {

class RecurrentDecoder {
 public:
  // scope: gru or lstm, attention, and what the design has
  RecurrentDecoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding);
  virtual ~RecurrentDecoder() = default;
  RecurrentDecoder(const RecurrentDecoder&) = delete;
  RecurrentDecoder& operator=(const RecurrentDecoder&) = delete;

  // The state before the first token of `rows` sequences; rows is a multiple of the memory's batch, and
  // rows / batch neighbouring rows attend to one source.
  RecurrentDecoderState start(RecurrentMemory memory, int rows, Workspace& workspace) const;

  // The next tokens of every row [rows * time] -> readout [rows * time, d_readout], from which the logits of what
  // follows them are projected.
  // Offers, all below "decoder", as [rows, time, ...]: embeddings, layers.i.output, attention.weights [rows, 1, time,
  // keys], attention.context, attention.centers of local-p, output.
  void forward(std::span<const int> tokens, RecurrentDecoderState& state, View readout, Workspace& workspace) const;

 protected:
  // The tensors of a pass: a row for each sequence and time, [rows * time, ...].
  struct Pass {
    int rows;
    int time;
    AlignmentMemory memory;
    View readout;
    // Given by the design, which may want them side by side with others:
    View embedded = {};
    View hidden = {};  // of all layers
    AlignmentResult alignment = {};

    // The rows of one step: [rows, ...].
    View at(View all, int step) const { return {all.row(step), rows, all.cols, all.stride * time}; }
  };

  // The attention of one step, to which queries [rows, hidden_size] look.
  void attend(ConstView queries, const Pass& pass, int step, Workspace& workspace) const;

  // How the design begins, and how it steps through a pass.
  virtual void initialise(RecurrentDecoderState& state, Workspace& workspace) const = 0;
  virtual void run(std::span<const int> tokens, RecurrentDecoderState& state, Pass& pass,
                   Workspace& workspace) const = 0;

  RecurrentConfig config_;
  Embedding embedding_;
  RecurrentLayers layers_;
  Alignment alignment_;
};

// The scope of the layers, which is named after their cells: "gru", "lstm".
WeightScope layers_scope(const WeightScope& scope, CellKind cell);

}  // namespace transformer

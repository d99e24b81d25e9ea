// Self-attention, then feed-forward, each with a residual connection and a norm (Vaswani et al. 2017, section 3.1).
#pragma once

#include "attention/multi_head.h"
#include "layers/feed_forward.h"
#include "transformer/config.h"

namespace transformer {

class EncoderLayer {
 public:
  // scope: self_attn, self_attn_norm, feed_forward, feed_forward_norm
  EncoderLayer(const WeightScope& scope, const LayerConfig& config,
               std::shared_ptr<const PositionScheme> positions = nullptr);

  const MultiHeadAttention& self_attention() const { return self_attn_; }

  // x [rows of all sequences, d_model] in place.
  // Observable: what MultiHeadAttention lists, under self_attn; the residual of each sub-layer.
  void forward(View x, const Segments& sequences, const Mask& mask, Workspace& workspace) const;

 private:
  NormPlace norm_place_;
  MultiHeadAttention self_attn_;
  Norm self_attn_norm_;
  FeedForward feed_forward_;
  Norm feed_forward_norm_;
};

// x <- norm(x + sublayer(x)), x + sublayer(norm(input)) or y + sublayer(y) with y = norm(input), by the norm's place,
// for x [rows, d_model].
struct ResidualBlock {
  const char* name;  // the sub-layer's name in paths
  View x;
  ConstView input;  // x, or what x was before a parallel block
  const Segments& sequences;
  NormPlace place;
  const Norm& norm;
};

// What the feed-forward block of a layer reads: x as it will be, or in a parallel layer as it is now.
ConstView feed_forward_input(NormPlace place, View x, Workspace& workspace);

// sublayer(in, {out, residual}) writes f(in) + residual to out. Observable: residual, the block's output.
template <class Sublayer>
void run_residual_block(const ResidualBlock& block, Workspace& workspace, const Sublayer& sublayer) {
  const Arena::Scope scope(workspace.arena);
  const PathScope path(workspace, block.name);
  const View x = block.x;
  const View scratch = workspace.arena.take(x.rows, x.cols);
  if (block.place == NormPlace::kPost) {
    sublayer(x, ResidualOutput{scratch, x});
    block.norm.forward(scratch, x, workspace);
  } else {
    const View sum = workspace.arena.take(x.rows, x.cols);
    block.norm.forward(block.input, scratch, workspace);
    sublayer(scratch, ResidualOutput{sum, block.place == NormPlace::kPreResidual ? scratch : x});
    for (int row = 0; row < x.rows; ++row) std::copy_n(sum.row(row), x.cols, x.row(row));
  }
  workspace.offer("residual", x, {block.sequences.batch, block.sequences.time, x.cols});
}

}  // namespace transformer

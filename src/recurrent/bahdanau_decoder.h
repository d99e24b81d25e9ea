// The decoder that learned to align (Bahdanau et al. 2015, section 3.1 and appendix A.2): attention first, asked by the
// state before the step, then the cell, which reads the word and the context.
//
//   s_0 = tanh(W_s h_1), h_1 from the encoder's backward reading
//   c_i = sum_j a_ij h_j, a_ij = softmax_j score(s_(i-1), h_j)
//   s_i = cell([E y_(i-1); c_i], s_(i-1))
//   t_i = maxout(W [s_i; E y_(i-1); c_i])
//
// The readout takes s_i, as the paper's equation 4 has it; its appendix writes s_(i-1).
#pragma once

#include "recurrent/decoder.h"

namespace transformer {

class BahdanauDecoder : public RecurrentDecoder {
 public:
  // scope: also bridge [hidden_size, hidden_size] and readout [2 * d_readout, or d_readout without maxout,
  // hidden_size + d_embedding + key_size], with biases
  BahdanauDecoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding);

 private:
  void initialise(RecurrentDecoderState& state, Workspace& workspace) const override;
  void run(std::span<const int> tokens, RecurrentDecoderState& state, Pass& pass, Workspace& workspace) const override;

  Linear bridge_;
  Linear readout_;
};

}  // namespace transformer

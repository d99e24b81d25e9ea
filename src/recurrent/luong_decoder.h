// The decoder of Luong et al. 2015 (section 3): the cells first, which also read what the last step found (input
// feeding, section 3.3), then attention, asked by their new state.
//
//   h_t = cells([E y_(t-1); h~_(t-1)], h_(t-1)), which begin where the encoder's layers ended; h~_0 = 0
//   c_t = sum_s a_ts h_s, a_ts = softmax_s score(h_t, h_s)
//   h~_t = tanh(W_c [c_t; h_t])
#pragma once

#include "recurrent/decoder.h"

namespace transformer {

class LuongDecoder : public RecurrentDecoder {
 public:
  // scope: also readout [d_readout, key_size + hidden_size] with bias: W_c
  LuongDecoder(const WeightScope& scope, const RecurrentConfig& config, SharedMatrix embedding);

 private:
  void initialise(RecurrentDecoderState& state, Workspace& workspace) const override;
  void run(std::span<const int> tokens, RecurrentDecoderState& state, Pass& pass, Workspace& workspace) const override;

  Linear readout_;
};

}  // namespace transformer

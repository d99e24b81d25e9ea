// A teacher-forced pass through a recurrent encoder-decoder.
#pragma once

#include "recurrent/encoder_decoder.h"

namespace transformer {

struct RecurrentPassInput {
  RecurrentSource source = {};
  std::span<const int> target = {};  // ids [batch * time]
  int target_time = 0;
};

struct RecurrentPassOutput {
  Tensor logits;  // [batch, target_time, vocab]: of what follows each token
  Tensor memory;  // [batch, source time, key_size], zeros beyond a source's length
};

// Observable: what RecurrentEncoder and RecurrentDecoder list.
RecurrentPassOutput run_pass(const RecurrentEncoderDecoder& model, const RecurrentPassInput& input,
                             Workspace& workspace);

}  // namespace transformer

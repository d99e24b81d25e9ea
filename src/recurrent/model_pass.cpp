#include "recurrent/model_pass.h"

namespace transformer {

RecurrentPassOutput run_pass(const RecurrentEncoderDecoder& model, const RecurrentPassInput& input,
                             Workspace& workspace) {
  const Arena::Scope scratch(workspace.arena);
  const int batch = input.source.batch, time = input.target_time;
  RecurrentDecoderState state =
      model.decoder().start(model.encoder().forward(input.source, workspace), batch, workspace);
  const View readout = workspace.arena.take(batch * time, model.config().d_readout);
  model.decoder().forward(input.target, state, readout, workspace);
  RecurrentPassOutput output;
  output.logits = Tensor({batch, time, model.config().target_vocab});
  model.projection().forward(readout, output.logits.matrix(), workspace);
  output.memory = state.memory().states.clone();
  return output;
}

}  // namespace transformer

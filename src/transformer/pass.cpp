#include "transformer/pass.h"

#include <utility>

#include "transformer/head_states.h"
#include "transformer/logit_lens.h"
#include "transformer/logits.h"
#include "transformer/without_padding.h"

namespace transformer {

namespace {

Tensor apply_head(const OutputHead& head, const HeadSource& source, Workspace& workspace) {
  const Tensor one = head.is_per_sequence() ? states_for(head, source) : Tensor();
  const ConstView rows = head.is_per_sequence() ? one.matrix() : source.hidden;
  Tensor result({rows.rows, head.out_features()});
  head.forward(rows, result.matrix(), workspace);
  return result;
}

// The logits of a model from the states of its last stack.
Tensor logits_of(const Transformer& model, const HeadSource& source, Workspace& workspace) {
  if (model.has_projection()) return project(model, source.hidden, workspace);
  return model.head() ? apply_head(*model.head(), source, workspace) : Tensor();
}

// What follows an encoder alone.
void run_heads(const Transformer& model, const PassInput& input, PassOutput& output, Workspace& workspace) {
  const Sequences& source = input.source;
  HeadSource read = {output.memory.matrix(), source.segments(), source, input.source_mask.padding};
  Tensor pooled;
  if (model.pool()) {
    const PathScope part(workspace, "pool");
    pooled = Tensor({source.batch, model.config().d_model()});
    model.pool()->forward(read.hidden, read.states, read.padding, pooled.matrix(), workspace);
    read.pooled = pooled.matrix();
  }
  if (model.pooler()) output.pooler_output = apply_head(*model.pooler(), read, workspace);
  if (input.skips_logits) return;
  output.logits = logits_of(model, read, workspace);
  if (!model.config().contrast.embeds) return;
  output.embeds = Tensor(output.logits.shape());
  to_unit_rows(output.logits.matrix(), output.embeds.matrix());
}

}  // namespace

Tensor run_encoder(const Transformer& model, const Sequences& source, const Mask& mask, Tensor memory,
                   Workspace& workspace) {
  require(model.has_encoder(), "this model has no encoder");
  const Shape shape = {source.segments().rows(), model.config().memory_width()};
  memory = memory.empty() ? Tensor(shape) : std::move(memory).reshaped(shape);
  model.encoder().forward(source, mask, memory.matrix(), workspace);
  return memory;
}

Tensor run_decoder(const Transformer& model, const Sequences& target, const Memory& memory, const DecoderMasks& masks,
                   Workspace& workspace) {
  require(model.has_decoder(), "this model has no decoder");
  Tensor hidden({target.batch * target.time, model.config().d_model()});
  DecoderState state = model.decoder().start(memory, target.batch, target.time, workspace);
  model.decoder().forward(target, state, masks, hidden.matrix(), workspace);
  return hidden;
}

namespace {

// The decoder and what follows it. memory: what the encoder made of the source.
void run_target(const Transformer& model, const PassInput& input, const Memory& memory, PassOutput& output,
                Workspace& workspace) {
  if (!workspace.observer || !model.has_projection()) {
    output.hidden = run_decoder(model, input.target, memory, input.target_masks, workspace);
  } else {
    LogitLens lens(*workspace.observer, model.config().decoder.num_layers);
    Workspace observed{workspace.arena,    workspace.threads,      &lens,
                       workspace.profiler, workspace.head_factors, workspace.editor};
    output.hidden = run_decoder(model, input.target, memory, input.target_masks, observed);
    Workspace unobserved{workspace.arena, workspace.threads};
    lens.project_all(model, input.target.batch, unobserved);
  }
  if (input.skips_logits) return;
  const auto& [source, padding] = model.has_encoder() ? std::pair(input.source, input.source_mask.padding)
                                                      : std::pair(input.target, input.target_masks.self.padding);
  output.logits = logits_of(model, {output.hidden.matrix(), input.target.segments(), source, padding}, workspace);
}

PassOutput run_all(const Transformer& model, PassInput input, Workspace& workspace) {
  PassOutput output;
  const Sequences& source = input.source;
  const Segments states = source.segments();
  if (model.has_encoder()) {
    output.memory = run_encoder(model, source, input.source_mask, std::move(input.memory), workspace);
  }
  if (!model.has_decoder()) {
    run_heads(model, input, output, workspace);
    return output;
  }
  Memory memory;
  if (model.has_encoder()) memory = {output.memory.matrix(), states.batch, states.time, states.offsets};
  run_target(model, input, memory, output, workspace);
  return output;
}

}  // namespace

PassOutput run_pass(const Transformer& model, PassInput input, Workspace& workspace) {
  const ScoreBias padding = input.source_mask.padding;
  if (!input.skips_padding || !padding.data || workspace.is_watched())
    return run_all(model, std::move(input), workspace);
  const WithoutPadding real(input.source, padding);
  input.source = real.sequences();
  input.memory = {};
  const bool is_per_token = !model.has_decoder() && !(model.head() && model.head()->is_per_sequence());
  PassOutput output = run_all(model, std::move(input), workspace);
  output.memory = real.padded(output.memory);
  if (is_per_token && !output.logits.empty()) output.logits = real.padded(output.logits);
  return output;
}

}  // namespace transformer

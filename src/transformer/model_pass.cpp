#include "transformer/model_pass.h"

#include "transformer/logits.h"

namespace transformer {

namespace {

// The input of a stack: ids if it has an embedding, else vectors.
void check_input(const InputTensor& input, const char* name, const StackConfig& stack) {
  if (stack.vocab > 0) {
    checked_ids(input, name);
  } else {
    checked_vectors(input, name, stack.layer.d_model);
  }
}

struct ScoreSize {
  int batch;
  int queries;
  int keys;
};

OwnedMask mask_of(const StackConfig& stack, MaskTensors tensors, const MaskNames& names, const ScoreSize& size) {
  const int heads = stack.layer.attention.num_heads;
  return make_mask(std::move(tensors), names, {size.batch, heads, size.queries, size.keys});
}

OwnedMask self_mask_of(const StackConfig& stack, MaskTensors tensors, const MaskNames& names, const InputTensor& input,
                       bool is_causal) {
  OwnedMask mask = mask_of(stack, std::move(tensors), names, {input.batch(), input.time(), input.time()});
  mask.view.causal = is_causal;
  return mask;
}

}  // namespace

Tensor encode(const Transformer& model, EncodeCall call, Workspace& workspace) {
  require(model.has_encoder(), "this model has no encoder");
  const StackConfig& stack = model.config().encoder;
  InputTensor& src = call.src;
  check_input(src, "src", stack);
  const OwnedMask mask = self_mask_of(stack, std::move(call.masks), {}, src, call.is_causal);
  const Sequences source = src.sequences();
  return src.restore(run_encoder(model, source, mask.view, std::move(src.vectors), workspace));
}

DecodeResult decode(const Transformer& model, DecodeCall call, Workspace& workspace) {
  require(model.has_decoder(), "this model has no decoder");
  const StackConfig& stack = model.config().decoder;
  const InputTensor& tgt = call.tgt;
  check_input(tgt, "tgt", stack);
  Memory memory;
  if (model.has_encoder()) {
    const InputTensor& given = checked_vectors(call.memory, "memory", model.config().memory_width());
    require(given.batch() == tgt.batch(), "tgt and memory must have the same batch size, got ", tgt.batch(), " and ",
            given.batch());
    memory = {given.vectors.matrix(), given.batch(), given.time()};
  }
  const OwnedMask self = self_mask_of(stack, std::move(call.masks), {}, tgt, call.is_causal);
  const OwnedMask cross =
      mask_of(stack, std::move(call.memory_masks), kMemoryMaskNames, {tgt.batch(), tgt.time(), memory.keys});
  Tensor hidden = run_decoder(model, tgt.sequences(), memory, {self.view, cross.view}, workspace);
  if (!model.has_projection()) return {tgt.restore(std::move(hidden)), {}};
  return {{}, tgt.restore(project(model, hidden.matrix(), workspace))};
}

namespace {

// A PassInput and what it points to.
struct OwnedPass {
  InputTensor source;
  InputTensor target;
  OwnedMask source_mask;
  OwnedMask self_mask;
  OwnedMask cross_mask;
  PassInput input;
};

void prepare_source(OwnedPass& pass, ForwardCall& call, const TransformerConfig& config) {
  InputTensor& source = pass.source = std::move(call.src);
  check_input(source, "src", config.encoder);
  const bool is_causal = config.decoder.num_layers == 0 && call.is_causal;
  pass.source_mask = self_mask_of(config.encoder, std::move(call.src_masks), kSourceMaskNames, source, is_causal);
  pass.input.source = source.sequences();
  pass.input.source.columns = call.columns;
  pass.input.source_mask = pass.source_mask.view;
  pass.input.skips_padding = call.skips_padding;
  pass.input.memory = std::move(source.vectors);
}

void prepare_target(OwnedPass& pass, ForwardCall& call, const TransformerConfig& config) {
  const InputTensor& target = pass.target = std::move(call.tgt);
  check_input(target, "tgt", config.decoder);
  const bool has_memory = config.encoder.num_layers > 0;
  const Sequences& source = pass.input.source;
  require(!has_memory || source.batch == target.batch(), "src and tgt must have the same batch size, got ",
          source.batch, " and ", target.batch());
  pass.self_mask = self_mask_of(config.decoder, std::move(call.tgt_masks), kTargetMaskNames, target, call.is_causal);
  pass.cross_mask = mask_of(config.decoder, std::move(call.memory_masks), kMemoryMaskNames,
                            {target.batch(), target.time(), has_memory ? source.time : 0});
  pass.input.target = target.sequences();
  pass.input.target_masks = {pass.self_mask.view, pass.cross_mask.view};
}

// Results in the shapes of the inputs.
ForwardResult restore(const Transformer& model, const OwnedPass& pass, PassOutput output) {
  ForwardResult result;
  const bool decodes = model.has_decoder();
  const InputTensor& last = decodes ? pass.target : pass.source;
  if (!output.memory.empty()) {
    (decodes ? result.encoder_output : result.output) = pass.source.restore(std::move(output.memory));
  }
  if (decodes && output.logits.empty()) result.output = last.restore(std::move(output.hidden));
  const auto per_sequence = [&](Tensor rows) {  // [batch, width], or [width]
    const int width = rows.axis(1);
    return last.is_batched() ? std::move(rows) : std::move(rows).reshaped({width});
  };
  if (!output.pooler_output.empty()) result.pooler_output = per_sequence(std::move(output.pooler_output));
  if (output.logits.empty()) return result;
  const bool is_per_sequence = model.head() && model.head()->is_per_sequence();
  result.logits = is_per_sequence ? per_sequence(std::move(output.logits)) : last.restore(std::move(output.logits));
  return result;
}

}  // namespace

ForwardResult forward(const Transformer& model, ForwardCall call, Workspace& workspace) {
  OwnedPass pass;
  if (model.has_encoder()) prepare_source(pass, call, model.config());
  if (model.has_decoder()) prepare_target(pass, call, model.config());
  pass.input.skips_logits = call.skips_logits;
  PassOutput output = run_pass(model, std::move(pass.input), workspace);
  return restore(model, pass, std::move(output));
}

}  // namespace transformer

#include "transformer/model_pass.h"

#include "base/forbidden.h"
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

// The vectors that the front end makes of media, in place of `src`.
EncodedMedia read_media(const Transformer& model, const MediaTensors& media, InputTensor& src, Workspace& workspace) {
  if (media.is_missing()) return {};
  require(model.front(), "this model takes neither sound nor pictures");
  require(src.is_missing(), "src is given in two ways");
  EncodedMedia encoded = model.front()->forward(media, workspace);
  src.shape = encoded.vectors.shape();
  src.vectors = std::move(encoded.vectors);
  return encoded;
}

}  // namespace

Tensor encode(const Transformer& model, EncodeCall call, Workspace& workspace) {
  require(model.has_encoder(), "this model has no encoder");
  const StackConfig& stack = model.config().encoder;
  InputTensor& src = call.src;
  EncodedMedia media = read_media(model, call.media, src, workspace);
  if (!media.mask.empty()) call.masks.padding = std::move(media.mask);
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
  EncodedMedia media;
};

// Before the masks are made, which may come with the media.
void prepare_media(OwnedPass& pass, ForwardCall& call, const Transformer& model, Workspace& workspace) {
  pass.media = read_media(model, call.media, call.src, workspace);
  if (pass.media.grid.columns > 0) call.columns = pass.media.grid.columns;
  if (pass.media.mask.empty()) return;
  call.src_masks.padding = pass.media.mask.clone();
  if (model.has_decoder()) call.memory_masks.padding = pass.media.mask.clone();
}

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
ForwardResult restore(const Transformer& model, OwnedPass& pass, PassOutput output) {
  ForwardResult result;
  result.media_mask = std::move(pass.media.mask);
  result.grid = pass.media.grid;
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
  if (!output.embeds.empty()) result.embeds = per_sequence(std::move(output.embeds));
  if (output.logits.empty()) return result;
  const bool is_per_sequence = model.head() && model.head()->is_per_sequence();
  result.logits = is_per_sequence ? per_sequence(std::move(output.logits)) : last.restore(std::move(output.logits));
  return result;
}

}  // namespace

namespace {

// The number of tokens up to the last real one of each sequence.
std::vector<int> lengths_of(const InputTensor& input, const ScoreBias& padding) {
  std::vector<int> lengths(input.batch(), input.time());
  for (int row = 0; padding.data && row < input.batch(); ++row) {
    const float* keys = padding.data + row * padding.batch;
    while (lengths[row] > 0 && keys[lengths[row] - 1] == kForbidden) --lengths[row];
  }
  return lengths;
}

void pool(const Transformer& model, const OwnedPass& pass, const ForwardCall& call, ForwardResult& result,
          Workspace& workspace) {
  require(!result.output.empty(), "the model gives no hidden states to pool");
  const bool decodes = model.has_decoder();
  const InputTensor& texts = decodes ? pass.target : pass.source;
  const ScoreBias& padding = (decodes ? pass.self_mask : pass.source_mask).view.padding;
  const std::vector<int> lengths = lengths_of(texts, padding);
  result.embeds = pool_sentences({result.output.matrix(), {texts.batch(), texts.time()}, lengths}, call.sentence_steps,
                                 call.sentence, workspace);
  result.output = {};
}

// Compares the embeds with the caller's vectors of the other kind.
void compare(const Transformer& model, const Tensor& others, ForwardResult& result, Workspace& workspace) {
  require(model.contrast() && !result.embeds.empty(), "this model compares nothing");
  const ConstView own = result.embeds.matrix();
  require(others.shape().size() == 2 && others.axis(1) == own.cols, "what is compared must be vectors [count, ",
          own.cols, "], got the shape ", to_string(others.shape()));
  Tensor unit(others.shape());
  to_unit_rows(others.matrix(), unit.matrix());
  result.similarities = Tensor({own.rows, unit.axis(0)});
  result.transposed = Tensor({unit.axis(0), own.rows});
  model.contrast()->forward(own, unit.matrix(), result.similarities.matrix(), workspace);
  for (int row = 0; row < own.rows; ++row) {
    for (int i = 0; i < unit.axis(0); ++i)
      result.transposed.matrix().row(i)[row] = result.similarities.matrix().row(row)[i];
  }
}

}  // namespace

ForwardResult forward(const Transformer& model, ForwardCall call, Workspace& workspace) {
  OwnedPass pass;
  prepare_media(pass, call, model, workspace);
  if (model.has_encoder()) prepare_source(pass, call, model.config());
  if (model.has_decoder()) prepare_target(pass, call, model.config());
  pass.input.skips_logits = call.skips_logits || call.sentence.pools();
  PassOutput output = run_pass(model, std::move(pass.input), workspace);
  ForwardResult result = restore(model, pass, std::move(output));
  if (call.sentence.pools()) {
    pool(model, pass, call, result, workspace);
  } else if (call.sentence.shortens() && !result.embeds.empty()) {
    result.embeds = shortened(result.logits.clone(), call.sentence);
  }
  if (!call.others.empty()) compare(model, call.others, result, workspace);
  return result;
}

}  // namespace transformer

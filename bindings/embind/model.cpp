#include "model.h"

#include <algorithm>

#include "model_config.h"
#include "pass_probe.h"
#include "profile.h"

namespace transformer::bindings {

namespace {

constexpr MaskNames kSourceMask = {"srcMask", "srcBias", "srcKeyPaddingMask"};
constexpr MaskNames kTargetMask = {"tgtMask", "tgtBias", "tgtKeyPaddingMask"};
constexpr MaskNames kMemoryMask = {"memoryMask", "memoryBias", "memoryKeyPaddingMask"};

OwnedMask read_mask(const Options& options, const MaskNames& names, const StackConfig& stack, int batch, int queries,
                    int keys) {
  return mask_from_js(options, names, {batch, stack.layer.num_heads, queries, keys});
}

// The first state of each sequence alone.
ConstView first_states(const Tensor& hidden, const Sequences& sequences) {
  const ConstView all = hidden.matrix();
  return {all.data, sequences.batch, all.cols, all.stride * sequences.time};
}

Tensor project(ResidentTransformer& transformer, ConstView hidden, Shape shape, Workspace& workspace) {
  shape.back() = transformer.model.config().output_vocab;
  Tensor logits(std::move(shape));
  transformer.model.projection().forward(hidden, logits.matrix(), workspace);
  return logits;
}

Tensor apply_head(const Head& head, const Tensor& hidden, const OwnedSequences& sequences, Workspace& workspace) {
  if (!head.first_only()) {
    Tensor result(sequences.shape_with(head.out_features()));
    head.forward(hidden.matrix(), result.matrix(), workspace);
    return result;
  }
  require(sequences.view.time > 0, "the sequence is empty, so it has no first state");
  Tensor result(sequences.batched ? Shape{sequences.view.batch, head.out_features()} : Shape{head.out_features()});
  head.forward(first_states(hidden, sequences.view), result.matrix(), workspace);
  return result;
}

// Encodes src, under the masks that the options hold by these names.
// Vectors that go in become the memory in place.
Tensor run_encoder(ResidentTransformer& transformer, OwnedSequences& src, const Options& options,
                   const MaskNames& names, bool is_causal, Workspace& workspace) {
  const TransformerConfig& config = transformer.model.config();
  const int time = src.view.time;
  OwnedMask mask = read_mask(options, names, config.encoder, src.view.batch, time, time);
  mask.view.causal = is_causal;
  Tensor memory = src.vectors.empty() ? Tensor(src.shape_with(config.d_model())) : std::move(src.vectors);
  transformer.model.encoder().forward(src.view, mask.view, memory.matrix(), workspace);
  return memory;
}

OwnedSequences read_source(const ResidentTransformer& transformer, const val& src, const Options& options) {
  const TransformerConfig& config = transformer.model.config();
  OwnedSequences sequences = sequences_from_js(src, "src", config.encoder.vocab > 0, config.d_model());
  if (options.has("tokenTypes")) {
    sequences.token_types = ints_from_js(options.raw("tokenTypes")["data"]);
    sequences.view.token_types = sequences.token_types;
  }
  return sequences;
}

// The decoder over tgt and the memory, which is null for a decoder alone; sets `logits` where the model has an output
// projection, else `output`.
void run_decoder(ResidentTransformer& transformer, const val& tgt_js, const Tensor* memory, const Options& options,
                 const MaskNames& names, val& result, Workspace& workspace) {
  const TransformerConfig& config = transformer.model.config();
  const OwnedSequences tgt = sequences_from_js(tgt_js, "tgt", config.decoder.vocab > 0, config.d_model());
  const int batch = tgt.view.batch;
  const int time = tgt.view.time;
  Memory view;
  if (memory) {
    const bool batched = memory->shape().size() == 3;
    view = {memory->matrix(), batched ? memory->axis(0) : 1, memory->axis(batched ? 1 : 0)};
    require(view.batch == batch, "tgt and memory must have one batch size, got ", batch, " and ", view.batch);
  }
  OwnedMask self = read_mask(options, names, config.decoder, batch, time, time);
  self.view.causal = options.flag("isCausal");
  const OwnedMask cross = read_mask(options, kMemoryMask, config.decoder, batch, time, view.keys);

  const Decoder& decoder = transformer.model.decoder();
  Tensor hidden(tgt.shape_with(config.d_model()));
  DecoderState state = decoder.start(view, batch, time, workspace);
  decoder.forward(tgt.view, state, {self.view, cross.view}, hidden.matrix(), workspace);
  if (!transformer.model.has_projection()) return result.set("output", to_js(hidden));
  result.set("logits", to_js(project(transformer, hidden.matrix(), hidden.shape(), workspace)));
}

// What stands on an encoder alone.
void set_encoder_results(ResidentTransformer& transformer, const OwnedSequences& src, const Tensor& hidden, val& result,
                         Workspace& workspace) {
  const Transformer& model = transformer.model;
  result.set("output", to_js(hidden));
  if (model.pooler()) result.set("poolerOutput", to_js(apply_head(*model.pooler(), hidden, src, workspace)));
  if (!model.head() && !model.has_projection()) return;
  Tensor states = model.head() ? apply_head(*model.head(), hidden, src, workspace) : hidden.clone();
  if (model.has_projection()) states = project(transformer, states.matrix(), states.shape(), workspace);
  result.set("logits", to_js(states));
}

// "decoder.layers.i.logits": what the model would say if layer i were the last one, through the final norm and the
// output projection (nostalgebraist 2020, "the logit lens").
void trace_logits(ResidentTransformer& transformer, PassProbe& probe, Workspace& workspace) {
  const std::vector<std::string> paths = probe.traced_logits();
  for (const std::string& path : paths) {
    Tensor states = probe.find(path + ".output")->clone();
    transformer.model.decoder().normalize(states.matrix(), workspace);
    probe.record(path + ".logits", project(transformer, states.matrix(), states.shape(), workspace));
  }
}

}  // namespace

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const val& config, WeightsInput& weights) {
  return std::make_shared<ResidentTransformer>(context, weights, config_from_js(Options(config)));
}

val encode(ResidentTransformer& transformer, const val& src_js, const val& options_js) {
  require(transformer.model.has_encoder(), "this model has no encoder");
  const Options options(options_js);
  OwnedSequences src = read_source(transformer, src_js, options);
  Workspace workspace = transformer.workspace();
  return to_js(run_encoder(transformer, src, options, {}, options.flag("isCausal"), workspace));
}

val decode(ResidentTransformer& transformer, const val& tgt, const val& memory_js, const val& options_js) {
  require(transformer.model.has_decoder(), "this model has no decoder");
  const Options options(options_js);
  Workspace workspace = transformer.workspace();
  val result = val::object();
  if (transformer.model.decoder().has_cross_attention()) {
    const OwnedSequences memory = sequences_from_js(memory_js, "memory", false, transformer.model.config().d_model());
    run_decoder(transformer, tgt, &memory.vectors, options, {}, result, workspace);
  } else {
    run_decoder(transformer, tgt, nullptr, options, {}, result, workspace);
  }
  return result;
}

val forward(ResidentTransformer& transformer, const val& src_js, const val& tgt_js, const val& options_js) {
  const Options options(options_js);
  const Transformer& model = transformer.model;
  PassProbe probe(options);
  Profile profile;
  const bool is_profiled = options.flag("profile");
  Workspace workspace = transformer.workspace(is_profiled         ? static_cast<Probe*>(&profile)
                                              : probe.is_needed() ? &probe
                                                                  : nullptr);
  val result = val::object();

  Tensor memory;
  if (model.has_encoder()) {
    OwnedSequences src = read_source(transformer, src_js, options);
    const bool is_causal = !model.has_decoder() && options.flag("isCausal");
    memory = run_encoder(transformer, src, options, kSourceMask, is_causal, workspace);
    if (model.has_decoder()) {
      result.set("encoderOutput", to_js(memory));
    } else {
      set_encoder_results(transformer, src, memory, result, workspace);
    }
  }
  if (model.has_decoder()) {
    run_decoder(transformer, tgt_js, model.has_encoder() ? &memory : nullptr, options, kTargetMask, result, workspace);
    if (model.has_projection()) trace_logits(transformer, probe, workspace);
  }
  if (probe.attentions()) {
    if (model.has_encoder()) result.set("encoderAttentions", probe.per_layer("encoder", ".self_attn.weights"));
    if (model.has_decoder()) result.set("decoderAttentions", probe.per_layer("decoder", ".self_attn.weights"));
    if (model.has_encoder() && model.has_decoder()) {
      result.set("crossAttentions", probe.per_layer("decoder", ".cross_attn.weights"));
    }
  }
  if (probe.hidden_states()) {
    if (model.has_encoder()) result.set("encoderHiddenStates", probe.hidden_states_of("encoder"));
    if (model.has_decoder()) result.set("decoderHiddenStates", probe.hidden_states_of("decoder"));
  }
  if (options.has("trace")) result.set("trace", probe.trace());
  if (is_profiled) result.set("profile", to_js(profile));
  return result;
}

}  // namespace transformer::bindings

// The passes of a whole transformer.
#include "transformer.h"

#include "configs.h"
#include "guarded.h"
#include "masks.h"
#include "transformer/layer_pass.h"
#include "transformer/pass.h"
#include "transformer/pass_observer.h"
#include "transformer/places.h"

namespace transformer::bindings {

const std::vector<std::string>& paths_of(ResidentTransformer& transformer) {
  if (transformer.paths.empty()) {
    Workspace workspace = transformer.workspace();
    transformer.paths = observable_paths(transformer.model, workspace);
  }
  return transformer.paths;
}

HeadFactors head_factors_of(ResidentTransformer& transformer, const std::vector<HeadFactor>& heads) {
  if (heads.empty()) return {};
  std::map<std::string, float> factors;
  for (const HeadFactor& head : heads) factors[head.head] = head.factor;
  return head_factors(factors, transformer.model, paths_of(transformer));
}

std::vector<ProfiledPart> parts_of(const Profiler& profiler) {
  std::vector<ProfiledPart> parts;
  for (const Profiler::Part& part : profiler.parts()) {
    parts.push_back({part.path, part.work.flops, part.work.weight_bytes, part.work.state_bytes, part.seconds * 1e3});
  }
  return parts;
}

namespace {

constexpr MaskNames kSourceMaskNames = {"srcMask", "srcBias", "srcKeyPaddingMask"};
constexpr MaskNames kTargetMaskNames = {"tgtMask", "tgtBias", "tgtKeyPaddingMask"};

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const Partial<TransformerConfig>& config,
                                                      WeightsLoader& weights) {
  return std::make_shared<ResidentTransformer>(context, weights, config.read());
}

double parameter_count(ResidentTransformer& transformer) {
  return static_cast<double>(transformer.model.parameter_count());
}

double weight_bytes(ResidentTransformer& transformer) { return transformer.weight_bytes; }

// What goes into a stack: ids where it has an embedding, else vectors.
InputTensor read_input(const JsInput& given, const char* name, const StackConfig& stack) {
  InputTensor input = given.read(name);
  if (stack.vocab > 0) {
    checked_ids(input, name);
  } else {
    checked_vectors(input, name, stack.layer.d_model);
  }
  return input;
}

OwnedMask mask_for(const StackConfig& stack, MaskTensors tensors, const MaskNames& names,
                   const Shape& batch_and_times) {
  const int heads = stack.layer.attention.num_heads;
  return make_mask(std::move(tensors), names, {batch_and_times[0], heads, batch_and_times[1], batch_and_times[2]});
}

JsTensor encode(ResidentTransformer& transformer, const JsInput& given, const Partial<JsSelfMasks>& given_options) {
  const Transformer& model = transformer.model;
  require(model.has_encoder(), "this model has no encoder");
  const JsSelfMasks options = given_options.read();
  const StackConfig& stack = model.config().encoder;
  InputTensor src = read_input(given, "src", stack);
  OwnedMask mask = mask_for(stack, options.masks(), {}, {src.batch(), src.time(), src.time()});
  mask.view.causal = options.is_causal;
  const Sequences sequences = src.sequences();
  Workspace workspace = transformer.workspace();
  return JsTensor(src.restore(run_encoder(model, sequences, mask.view, std::move(src.vectors), workspace)));
}

struct JsDecodeOptions : JsSelfMasks, JsMemoryMasks {
  JsDecodeOptions() { is_causal = true; }
};

struct JsDecoded {
  MaybeTensor output;
  MaybeTensor logits;
};

Memory memory_of(const InputTensor& memory, int batch) {
  require(memory.batch() == batch, "tgt and memory must have one batch size, got ", batch, " and ", memory.batch());
  return {memory.vectors.matrix(), memory.batch(), memory.time()};
}

JsDecoded decode(ResidentTransformer& transformer, const JsInput& given, const MaybeTensor& given_memory,
                 const Partial<JsDecodeOptions>& given_options) {
  const Transformer& model = transformer.model;
  require(model.has_decoder(), "this model has no decoder");
  const JsDecodeOptions options = given_options.read();
  const StackConfig& stack = model.config().decoder;
  const InputTensor tgt = read_input(given, "tgt", stack);
  InputTensor memory;
  Memory view;
  if (model.has_encoder()) {
    memory = JsInput(given_memory).read("memory");
    view = memory_of(checked_vectors(memory, "memory", stack.layer.d_model), tgt.batch());
  }
  OwnedMask self = mask_for(stack, options.masks(), {}, {tgt.batch(), tgt.time(), tgt.time()});
  self.view.causal = options.is_causal;
  const OwnedMask cross =
      mask_for(stack, options.memory_masks(), kMemoryMaskNames, {tgt.batch(), tgt.time(), view.keys});
  Workspace workspace = transformer.workspace();
  Tensor hidden = run_decoder(model, tgt.sequences(), view, {self.view, cross.view}, workspace);
  if (!model.has_projection()) return {MaybeTensor(tgt.restore(std::move(hidden))), {}};
  return {{}, MaybeTensor(tgt.restore(project(model, hidden.matrix(), workspace)))};
}

struct JsPassOptions : JsMemoryMasks {
  MaybeTensor src_mask, src_bias, src_key_padding_mask;
  MaybeTensor tgt_mask, tgt_bias, tgt_key_padding_mask;
  JsIds token_types;       // [batch, source]
  bool is_causal = false;  // of the last stack
  bool output_attentions = false;
  bool output_hidden_states = false;
  bool last_state_before_norm = false;
  std::vector<std::string> trace = {};
  std::vector<HeadFactor> heads = {};
  bool profile = false;

  MaskTensors source_masks() const {
    return {src_mask.read("srcMask"), src_bias.read("srcBias"), src_key_padding_mask.read("srcKeyPaddingMask")};
  }
  MaskTensors target_masks() const {
    return {tgt_mask.read("tgtMask"), tgt_bias.read("tgtBias"), tgt_key_padding_mask.read("tgtKeyPaddingMask")};
  }
};

struct JsTraced {
  std::string name;  // as the pattern calls it
  std::string path;
  JsTensor tensor;
};

struct JsPassOutput {
  MaybeTensor output;  // of the last stack, where it is not hidden behind logits
  MaybeTensor logits;
  MaybeTensor pooler_output;
  MaybeTensor encoder_output;  // where there is a decoder too
  std::vector<JsTensor> encoder_attentions, decoder_attentions, cross_attentions;
  std::vector<JsTensor> encoder_hidden_states, decoder_hidden_states;
  std::vector<JsTraced> trace;
  std::vector<ProfiledPart> profile;
};

std::vector<JsTensor> to_js(const std::vector<const Tensor*>& tensors) {
  std::vector<JsTensor> list;
  for (const Tensor* tensor : tensors) list.emplace_back(*tensor);
  return list;
}

// What goes into a pass, and keeps what PassInput points to.
struct OwnedPass {
  InputTensor source;
  InputTensor target;
  OwnedMask source_mask;
  OwnedMask self_mask;
  OwnedMask cross_mask;
  PassInput input;
};

void read_source(OwnedPass& pass, const JsInput& src, const JsPassOptions& options, const TransformerConfig& config) {
  InputTensor& source = pass.source = read_input(src, "src", config.encoder);
  source.token_types = options.token_types.read();
  pass.source_mask = mask_for(config.encoder, options.source_masks(), kSourceMaskNames,
                              {source.batch(), source.time(), source.time()});
  pass.source_mask.view.causal = config.decoder.num_layers == 0 && options.is_causal;
  pass.input.source = source.sequences();
  pass.input.source_mask = pass.source_mask.view;
  pass.input.memory = std::move(source.vectors);
}

void read_target(OwnedPass& pass, const JsInput& tgt, const JsPassOptions& options, const TransformerConfig& config) {
  const InputTensor& target = pass.target = read_input(tgt, "tgt", config.decoder);
  const int batch = target.batch(), time = target.time();
  const bool has_memory = config.encoder.num_layers > 0;
  const Sequences& source = pass.input.source;
  require(!has_memory || source.batch == batch, "src and tgt must have one batch size, got ", source.batch, " and ",
          batch);
  pass.self_mask = mask_for(config.decoder, options.target_masks(), kTargetMaskNames, {batch, time, time});
  pass.self_mask.view.causal = options.is_causal;
  pass.cross_mask =
      mask_for(config.decoder, options.memory_masks(), kMemoryMaskNames, {batch, time, has_memory ? source.time : 0});
  pass.input.target = target.sequences();
  pass.input.target_masks = {pass.self_mask.view, pass.cross_mask.view};
}

// Results in the shapes of what the caller gave.
JsPassOutput to_js(const Transformer& model, const OwnedPass& pass, PassOutput output) {
  JsPassOutput js;
  const bool decodes = model.has_decoder();
  const InputTensor& last = decodes ? pass.target : pass.source;
  if (!output.memory.empty()) {
    (decodes ? js.encoder_output : js.output) = MaybeTensor(pass.source.restore(std::move(output.memory)));
  }
  if (decodes && output.logits.empty()) js.output = MaybeTensor(last.restore(std::move(output.hidden)));
  const auto of_sequence = [&](Tensor rows) {  // [batch, width], or [width]
    const int width = rows.axis(1);
    return last.is_batched() ? std::move(rows) : std::move(rows).reshaped({width});
  };
  if (!output.pooler_output.empty()) js.pooler_output = MaybeTensor(of_sequence(std::move(output.pooler_output)));
  if (output.logits.empty()) return js;
  const bool is_of_sequence = model.head() && model.head()->first_only();
  js.logits =
      MaybeTensor(is_of_sequence ? of_sequence(std::move(output.logits)) : last.restore(std::move(output.logits)));
  return js;
}

JsPassOutput forward(ResidentTransformer& transformer, const MaybeInput& src, const MaybeInput& tgt,
                     const Partial<JsPassOptions>& given_options) {
  const JsPassOptions options = given_options.read();
  const Transformer& model = transformer.model;
  OwnedPass pass;
  if (model.has_encoder()) read_source(pass, src, options, model.config());
  if (model.has_decoder()) read_target(pass, tgt, options, model.config());

  const WantedTensors wanted = {options.output_attentions, options.output_hidden_states, options.last_state_before_norm,
                                options.trace};
  if (!wanted.trace.empty()) require_matches(wanted.trace, paths_of(transformer));
  PassObserver observer(wanted);
  Profiler profiler;
  const HeadFactors factors = head_factors_of(transformer, options.heads);
  Workspace workspace = transformer.workspace();
  if (wanted.anything()) workspace.observer = &observer;
  if (options.profile) workspace.profiler = &profiler;
  if (!factors.empty()) workspace.head_factors = &factors;
  JsPassOutput js = to_js(model, pass, run_pass(model, std::move(pass.input), workspace));

  if (options.output_attentions) {
    js.encoder_attentions = to_js(observer.attentions("encoder", "self_attn"));
    js.decoder_attentions = to_js(observer.attentions("decoder", "self_attn"));
    js.cross_attentions = to_js(observer.attentions("decoder", "cross_attn"));
  }
  if (options.output_hidden_states) {
    js.encoder_hidden_states = to_js(observer.hidden_states("encoder"));
    js.decoder_hidden_states = to_js(observer.hidden_states("decoder"));
  }
  for (const Traced& traced : observer.trace()) {
    js.trace.push_back({traced.name, traced.path, JsTensor(*traced.tensor)});
  }
  js.profile = parts_of(profiler);
  return js;
}

}  // namespace

EMSCRIPTEN_BINDINGS(transformer_options) {
  emscripten::value_object<JsDecodeOptions> decode_options("DecodeOptions");
  add_self_masks(decode_options);
  add_memory_masks(decode_options);
  register_partial<JsDecodeOptions>("DecodeOptions");
  emscripten::value_object<JsDecoded>("Decoded")
      .field("output", &JsDecoded::output)
      .field("logits", &JsDecoded::logits);
  emscripten::value_object<HeadFactor>("HeadFactor")
      .field("head", &HeadFactor::head)
      .field("factor", &HeadFactor::factor);
  emscripten::register_type<std::vector<HeadFactor>>("HeadFactor[]");
  emscripten::value_object<JsPassOptions> options("PassOptions");
  add_memory_masks(options);
  options.field("srcMask", &JsPassOptions::src_mask)
      .field("srcBias", &JsPassOptions::src_bias)
      .field("srcKeyPaddingMask", &JsPassOptions::src_key_padding_mask)
      .field("tgtMask", &JsPassOptions::tgt_mask)
      .field("tgtBias", &JsPassOptions::tgt_bias)
      .field("tgtKeyPaddingMask", &JsPassOptions::tgt_key_padding_mask)
      .field("tokenTypes", &JsPassOptions::token_types)
      .field("isCausal", &JsPassOptions::is_causal)
      .field("outputAttentions", &JsPassOptions::output_attentions)
      .field("outputHiddenStates", &JsPassOptions::output_hidden_states)
      .field("lastStateBeforeNorm", &JsPassOptions::last_state_before_norm)
      .field("trace", &JsPassOptions::trace)
      .field("heads", &JsPassOptions::heads)
      .field("profile", &JsPassOptions::profile);
  register_partial<JsPassOptions>("PassOptions");
}

EMSCRIPTEN_BINDINGS(transformer) {
  emscripten::value_object<ProfiledPart>("ProfiledPart")
      .field("path", &ProfiledPart::path)
      .field("flops", &ProfiledPart::flops)
      .field("weightBytes", &ProfiledPart::weight_bytes)
      .field("stateBytes", &ProfiledPart::state_bytes)
      .field("milliseconds", &ProfiledPart::milliseconds);
  emscripten::register_type<std::vector<ProfiledPart>>("ProfiledPart[]");
  emscripten::value_object<JsTraced>("Traced")
      .field("name", &JsTraced::name)
      .field("path", &JsTraced::path)
      .field("tensor", &JsTraced::tensor);
  emscripten::register_type<std::vector<JsTraced>>("Traced[]");
  emscripten::register_type<std::vector<JsTensor>>("{ data: Float32Array, shape: number[] }[]");
  emscripten::value_object<JsPassOutput>("PassOutput")
      .field("output", &JsPassOutput::output)
      .field("logits", &JsPassOutput::logits)
      .field("poolerOutput", &JsPassOutput::pooler_output)
      .field("encoderOutput", &JsPassOutput::encoder_output)
      .field("encoderAttentions", &JsPassOutput::encoder_attentions)
      .field("decoderAttentions", &JsPassOutput::decoder_attentions)
      .field("crossAttentions", &JsPassOutput::cross_attentions)
      .field("encoderHiddenStates", &JsPassOutput::encoder_hidden_states)
      .field("decoderHiddenStates", &JsPassOutput::decoder_hidden_states)
      .field("trace", &JsPassOutput::trace)
      .field("profile", &JsPassOutput::profile);
  emscripten::class_<ResidentTransformer>("Transformer")
      .smart_ptr_constructor("Transformer", guarded<make_transformer>)
      .function("encode", guarded<encode>)
      .function("decode", guarded<decode>)
      .function("forward", guarded<forward>)
      .function("parameterCount", &parameter_count)
      .function("weightBytes", &weight_bytes);
}

}  // namespace transformer::bindings

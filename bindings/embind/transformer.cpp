// A whole transformer and its passes.
#include "transformer.h"

#include "configs.h"
#include "guarded.h"
#include "masks.h"
#include "transformer/model_pass.h"
#include "transformer/observable_paths.h"
#include "transformer/pass_observer.h"

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

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const Partial<TransformerConfig>& config,
                                                      WeightsLoader& weights) {
  return std::make_shared<ResidentTransformer>(context, weights, config.read());
}

double parameter_count(ResidentTransformer& transformer) {
  return static_cast<double>(transformer.model.parameter_count());
}

double weight_bytes(ResidentTransformer& transformer) { return transformer.weight_bytes; }

JsTensor encode_tensors(ResidentTransformer& transformer, const JsInput& src, const Partial<JsSelfMasks>& given) {
  const JsSelfMasks options = given.read();
  Workspace workspace = transformer.workspace();
  return JsTensor(encode(transformer.model, {src.read("src"), options.masks.read(), options.is_causal}, workspace));
}

struct JsDecodeOptions : JsSelfMasks {
  JsDecodeOptions() { is_causal = DecodeCall{}.is_causal; }
  JsMasks memory_masks;
};

struct JsDecoded {
  MaybeTensor output;
  MaybeTensor logits;
};

JsDecoded decode_tensors(ResidentTransformer& transformer, const JsInput& tgt, const MaybeTensor& memory,
                         const Partial<JsDecodeOptions>& given) {
  const JsDecodeOptions options = given.read();
  Workspace workspace = transformer.workspace();
  const DecodeResult result = decode(transformer.model,
                                     {tgt.read("tgt"), MaybeInput(memory).read("memory"), options.masks.read(),
                                      options.memory_masks.read(kMemoryMaskNames), options.is_causal},
                                     workspace);
  return {MaybeTensor(result.output), MaybeTensor(result.logits)};
}

struct JsPassOptions {
  JsMasks memory_masks;
  JsMasks src_masks;
  JsMasks tgt_masks;
  JsIds token_types;  // [batch, source]
  bool is_causal = ForwardCall{}.is_causal;
  bool output_attentions = false;
  bool output_hidden_states = false;
  bool last_state_before_norm = false;
  std::vector<std::string> trace = {};
  std::vector<HeadFactor> heads = {};
  bool profile = false;

  ForwardCall call(const MaybeInput& src, const MaybeInput& tgt) const {
    ForwardCall call = {src.read("src"),
                        tgt.read("tgt"),
                        src_masks.read(kSourceMaskNames),
                        tgt_masks.read(kTargetMaskNames),
                        memory_masks.read(kMemoryMaskNames),
                        is_causal};
    call.src.token_types = token_types.read();
    return call;
  }
};

struct JsTraced {
  std::string name;  // as in the pattern
  std::string path;
  JsTensor tensor;
};

struct JsPassOutput {
  MaybeTensor output;
  MaybeTensor logits;
  MaybeTensor pooler_output;
  MaybeTensor encoder_output;
  std::vector<JsTensor> encoder_attentions = {}, decoder_attentions = {}, cross_attentions = {};
  std::vector<JsTensor> encoder_hidden_states = {}, decoder_hidden_states = {};
  std::vector<JsTraced> trace = {};
  std::vector<ProfiledPart> profile = {};
};

std::vector<JsTensor> to_js(const std::vector<const Tensor*>& tensors) {
  std::vector<JsTensor> list;
  for (const Tensor* tensor : tensors) list.emplace_back(*tensor);
  return list;
}

void add_observed(const PassObserver& observer, const JsPassOptions& options, JsPassOutput& output) {
  if (options.output_attentions) {
    output.encoder_attentions = to_js(observer.attentions("encoder", "self_attn"));
    output.decoder_attentions = to_js(observer.attentions("decoder", "self_attn"));
    output.cross_attentions = to_js(observer.attentions("decoder", "cross_attn"));
  }
  if (options.output_hidden_states) {
    output.encoder_hidden_states = to_js(observer.hidden_states("encoder"));
    output.decoder_hidden_states = to_js(observer.hidden_states("decoder"));
  }
  for (const Traced& traced : observer.trace()) {
    output.trace.push_back({traced.name, traced.path, JsTensor(*traced.tensor)});
  }
}

JsPassOutput forward_tensors(ResidentTransformer& transformer, const MaybeInput& src, const MaybeInput& tgt,
                             const Partial<JsPassOptions>& given) {
  const JsPassOptions options = given.read();
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
  const ForwardResult result = forward(transformer.model, options.call(src, tgt), workspace);
  JsPassOutput output = {MaybeTensor(result.output), MaybeTensor(result.logits), MaybeTensor(result.pooler_output),
                         MaybeTensor(result.encoder_output)};
  add_observed(observer, options, output);
  output.profile = parts_of(profiler);
  return output;
}

}  // namespace

EMSCRIPTEN_BINDINGS(transformer_options) {
  emscripten::value_object<JsDecodeOptions> decode_options("DecodeOptions");
  add_self_masks(decode_options);
  add_masks<&JsDecodeOptions::memory_masks>(decode_options, kMemoryMaskNames);
  register_partial<JsDecodeOptions>("DecodeOptions");
  emscripten::value_object<JsDecoded>("Decoded")
      .field("output", &JsDecoded::output)
      .field("logits", &JsDecoded::logits);
  emscripten::value_object<HeadFactor>("HeadFactor")
      .field("head", &HeadFactor::head)
      .field("factor", &HeadFactor::factor);
  emscripten::register_type<std::vector<HeadFactor>>("HeadFactor[]");
  emscripten::value_object<JsPassOptions> options("PassOptions");
  add_masks<&JsPassOptions::memory_masks>(options, kMemoryMaskNames);
  add_masks<&JsPassOptions::src_masks>(options, kSourceMaskNames);
  add_masks<&JsPassOptions::tgt_masks>(options, kTargetMaskNames);
  options.field("tokenTypes", &JsPassOptions::token_types)
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
      .function("encode", guarded<encode_tensors>)
      .function("decode", guarded<decode_tensors>)
      .function("forward", guarded<forward_tensors>)
      .function("parameterCount", &parameter_count)
      .function("weightBytes", &weight_bytes);
}

}  // namespace transformer::bindings

// A whole transformer and the passes of its stacks.
#include "transformer/transformer.h"

#include "configs.h"
#include "guarded.h"
#include "model.h"
#include "transformer/observable_paths.h"

namespace transformer::bindings {

namespace {

class ResidentTransformer : public ResidentModel {
 public:
  ResidentTransformer(Context& owner, WeightsLoader& weights, const TransformerConfig& config)
      : ResidentModel(owner), model(weights.complete(), config) {
    weight_bytes = static_cast<double>(weights.complete().bytes_taken());
  }

  double parameter_count() const override { return static_cast<double>(model.parameter_count()); }
  std::unique_ptr<const SequenceModel> sequence_model() const override { return make_sequence_model(model); }
  ForwardResult forward(ForwardCall call, Workspace& workspace) const override {
    return transformer::forward(model, std::move(call), workspace);
  }

  HeadFactors head_factors(const std::vector<HeadFactor>& heads) override {
    if (heads.empty()) return {};
    std::map<std::string, float> factors;
    for (const HeadFactor& head : heads) factors[head.head] = head.factor;
    return transformer::head_factors(factors, model, paths());
  }

  const Transformer model;

 private:
  std::vector<std::string> find_paths(Workspace& workspace) const override {
    return observable_paths(model, workspace);
  }
};

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const Partial<TransformerConfig>& config,
                                                      WeightsLoader& weights) {
  return std::make_shared<ResidentTransformer>(context, weights, config.read());
}

JsTensor encode_tensors(ResidentTransformer& transformer, const JsInput& src, const Partial<JsSelfMasks>& given) {
  const JsSelfMasks options = given.read();
  Workspace workspace = transformer.workspace();
  return JsTensor(encode(transformer.model, {src.read("src"), options.masks.read(), options.is_causal}, workspace));
}

struct JsDecodeOptions : JsSelfMasks {
  JsDecodeOptions() { is_causal = DecodeCall{}.is_causal; }
  JsMasks memory_masks;
  std::vector<std::string> trace = {};
};

constexpr auto fields_of(const JsDecodeOptions*) { return std::tuple{Field{"trace", &JsDecodeOptions::trace}}; }

struct JsDecoded {
  MaybeTensor output;
  MaybeTensor logits;
  std::vector<JsTraced> trace = {};
};

constexpr auto fields_of(const JsDecoded*) {
  return std::tuple{Field{"output", &JsDecoded::output}, Field{"logits", &JsDecoded::logits},
                    Field{"trace", &JsDecoded::trace}};
}

JsDecoded decode_tensors(ResidentTransformer& transformer, const JsInput& tgt, const MaybeTensor& memory,
                         const Partial<JsDecodeOptions>& given) {
  const JsDecodeOptions options = given.read();
  if (!options.trace.empty()) require_matches(options.trace, transformer.paths());
  PassObserver observer({.trace = options.trace});
  Workspace workspace = transformer.workspace();
  if (!options.trace.empty()) workspace.observer = &observer;
  const DecodeResult result = decode(transformer.model,
                                     {tgt.read("tgt"), MaybeInput(memory).read("memory"), options.masks.read(),
                                      options.memory_masks.read(kMemoryMaskNames), options.is_causal},
                                     workspace);
  return {MaybeTensor(result.output), MaybeTensor(result.logits), traced_by(observer)};
}

}  // namespace

EMSCRIPTEN_BINDINGS(transformer) {
  register_options<JsDecodeOptions>("DecodeOptions", [](auto& options) {
    kAddSelfMasks(options);
    add_masks<&JsDecodeOptions::memory_masks>(options, kMemoryMaskNames);
  });
  register_struct<JsDecoded>("Decoded");
  emscripten::class_<ResidentTransformer, emscripten::base<ResidentModel>>("Transformer")
      .smart_ptr_constructor("Transformer", guarded<make_transformer>)
      .function("encode", guarded<encode_tensors>)
      .function("decode", guarded<decode_tensors>);
}

}  // namespace transformer::bindings

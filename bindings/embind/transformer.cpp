// A whole transformer and the passes of its stacks.
#include "transformer/transformer.h"

#include <algorithm>

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
    // A part of what the model takes, so that what is remembered never costs more than the model itself.
    constexpr double kMostPrefixes = 256 << 20;
    company.prefixes.limit_to(static_cast<std::size_t>(std::min(weight_bytes / 4, kMostPrefixes)));
  }

  double parameter_count() const override { return static_cast<double>(model.parameter_count()); }
  std::unique_ptr<const SequenceModel> sequence_model() const override { return make_sequence_model(model); }
  ForwardResult forward(ForwardCall call, Workspace& workspace) const override {
    call.sentence_steps = sentence_steps ? &*sentence_steps : nullptr;
    return transformer::forward(model, std::move(call), workspace);
  }

  HeadFactors head_factors(const std::vector<HeadFactor>& heads) override {
    if (heads.empty()) return {};
    std::map<std::string, float> factors;
    for (const HeadFactor& head : heads) factors[head.head] = head.factor;
    return transformer::head_factors(factors, model, paths());
  }

  std::unique_ptr<Edits> editor(const std::vector<JsEdit>& given) override {
    if (given.empty()) return nullptr;
    std::vector<Edit> edits;
    for (const JsEdit& edit : given) edits.push_back(edit.read());
    return std::make_unique<Edits>(std::move(edits), model, paths());
  }

  const Transformer model;
  std::optional<OutputHead> sentence_steps;  // what follows the pooling of texts

 private:
  std::vector<std::string> find_paths(Workspace& workspace) const override {
    return observable_paths(model, workspace);
  }
};

std::shared_ptr<ResidentTransformer> make_transformer(Context& context, const Partial<TransformerConfig>& config,
                                                      WeightsLoader& weights) {
  return std::make_shared<ResidentTransformer>(context, weights, config.read());
}

// Steps after the pooling of texts to vectors of `width` numbers, in place of those before.
void take_sentence_steps(ResidentTransformer& transformer, const std::vector<Partial<HeadStep>>& steps, int width,
                         WeightsLoader& weights) {
  HeadConfig config;
  for (const Partial<HeadStep>& step : steps) config.steps.push_back(step.read());
  transformer.sentence_steps.reset();
  if (!steps.empty()) transformer.sentence_steps.emplace(WeightScope(weights.complete()), config, width);
}

struct JsEncodeOptions : JsSelfMasks {
  JsMedia media;  // in place of src
};

constexpr auto fields_of(const JsEncodeOptions*) { return std::tuple{Field{"media", &JsEncodeOptions::media}}; }

JsTensor encode_tensors(ResidentTransformer& transformer, const MaybeInput& src,
                        const Partial<JsEncodeOptions>& given) {
  const JsEncodeOptions options = given.read();
  Workspace workspace = transformer.workspace();
  return JsTensor(encode(transformer.model,
                         {src.read("src"), options.masks.read(), options.is_causal, options.media.read()}, workspace));
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
  register_options<JsEncodeOptions>("EncodeOptions", kAddSelfMasks);
  register_options<JsDecodeOptions>("DecodeOptions", [](auto& options) {
    kAddSelfMasks(options);
    add_masks<&JsDecodeOptions::memory_masks>(options, kMemoryMaskNames);
  });
  register_struct<JsDecoded>("Decoded");
  emscripten::class_<ResidentTransformer, emscripten::base<ResidentModel>>("Transformer")
      .smart_ptr_constructor("Transformer", guarded<make_transformer>)
      .function("takeSentenceSteps", guarded<take_sentence_steps>)
      .function("encode", guarded<encode_tensors>)
      .function("decode", guarded<decode_tensors>);
}

}  // namespace transformer::bindings

// Single layers. Each takes its weights from the loader, and lives until JavaScript releases it.
#include "configs.h"
#include "context.h"
#include "guarded.h"
#include "masks.h"
#include "transformer/layer_pass.h"

namespace transformer::bindings {

namespace {

struct ResidentLinear : Resident<Linear> {
  ResidentLinear(Context& context, WeightsLoader& weights, const LinearConfig& config)
      : Resident(context, weights, checked(config).in_features, config.out_features, config.bias),
        activation(config.activation) {}
  Activation activation;
};
using ResidentFeedForward = Resident<FeedForward>;
using ResidentAttention = Resident<MultiHeadAttention>;
using ResidentEncoderLayer = Resident<EncoderLayer>;
struct ResidentDecoderLayer : Resident<DecoderLayer> {
  ResidentDecoderLayer(Context& context, WeightsLoader& weights, const LayerConfig& config)
      : Resident(context, weights, config, config.d_model) {}
};

// With the width of its vectors.
struct PatchEmbeddingConfig {
  int d_model = 0;
  PatchesConfig patches;
};

constexpr auto fields_of(const PatchEmbeddingConfig*) {
  return std::tuple{Field{"dModel", &PatchEmbeddingConfig::d_model}, Field{"patches", &PatchEmbeddingConfig::patches}};
}

struct ResidentPatches : Resident<PatchEmbedding> {
  ResidentPatches(Context& context, WeightsLoader& weights, const PatchEmbeddingConfig& config)
      : Resident(context, weights, config.patches, config.d_model) {}
};

template <class Layer, class Config>
std::shared_ptr<Layer> make(Context& context, const Partial<Config>& config, WeightsLoader& weights) {
  return std::make_shared<Layer>(context, weights, config.read());
}

template <class T>
double parameter_count(const T& layer) {
  return layer.parameter_count;
}

JsTensor forward_linear(ResidentLinear& resident, const JsTensor& x) {
  Workspace workspace = resident.workspace();
  return JsTensor(run_layer(resident.layer, resident.activation, x.read("x"), workspace));
}

JsTensor forward_feed_forward(ResidentFeedForward& resident, const JsTensor& x) {
  Workspace workspace = resident.workspace();
  return JsTensor(run_layer(resident.layer, x.read("x"), workspace));
}

JsTensor forward_patches(ResidentPatches& resident, const JsTensor& images) {
  Workspace workspace = resident.workspace();
  return JsTensor(run_layer(resident.layer, images.read("images"), workspace));
}

struct JsMultiHeadOptions : JsSelfMasks {
  bool need_weights = false;
  bool average_weights = false;
};

constexpr auto fields_of(const JsMultiHeadOptions*) {
  return std::tuple{Field{"needWeights", &JsMultiHeadOptions::need_weights},
                    Field{"averageWeights", &JsMultiHeadOptions::average_weights}};
}

struct JsMultiHeadResult {
  JsTensor output;
  MaybeTensor weights;
};

constexpr auto fields_of(const JsMultiHeadResult*) {
  return std::tuple{Field{"output", &JsMultiHeadResult::output}, Field{"weights", &JsMultiHeadResult::weights}};
}

JsMultiHeadResult forward_attention(ResidentAttention& resident, const JsTensor& query, const JsTensor& key,
                                    const JsTensor& value, const Partial<JsMultiHeadOptions>& given) {
  const JsMultiHeadOptions options = given.read();
  Workspace workspace = resident.workspace();
  const AttentionLayerResult result =
      run_layer(resident.layer,
                {JsInput(query).read("query"), JsInput(key).read("key"), JsInput(value).read("value"),
                 options.masks.read(), options.is_causal, options.need_weights, options.average_weights},
                workspace);
  return {JsTensor(result.output), MaybeTensor(result.weights)};
}

JsTensor forward_encoder_layer(ResidentEncoderLayer& resident, const JsTensor& x, const Partial<JsSelfMasks>& given) {
  const JsSelfMasks options = given.read();
  Workspace workspace = resident.workspace();
  return JsTensor(
      run_layer(resident.layer, {JsInput(x).read("x"), options.masks.read(), options.is_causal}, workspace));
}

struct JsDecoderLayerOptions : JsSelfMasks {
  JsMasks memory_masks;
};

JsTensor forward_decoder_layer(ResidentDecoderLayer& resident, const JsTensor& x, const JsTensor& memory,
                               const Partial<JsDecoderLayerOptions>& given) {
  const JsDecoderLayerOptions options = given.read();
  Workspace workspace = resident.workspace();
  return JsTensor(run_layer(resident.layer,
                            {JsInput(x).read("x"), JsInput(memory).read("memory"), options.masks.read(),
                             options.memory_masks.read(kMemoryMaskNames), options.is_causal},
                            workspace));
}

// The class of a layer, with its constructor, its pass and its number of parameters.
template <class Layer, auto Make, auto Forward>
void register_layer(const char* name) {
  emscripten::class_<Layer>(name)
      .smart_ptr_constructor(name, guarded<Make>)
      .function("forward", guarded<Forward>)
      .function("parameterCount", &parameter_count<Layer>);
}

}  // namespace

EMSCRIPTEN_BINDINGS(layers) {
  register_options<LinearConfig>("LinearConfig");
  register_options<JsSelfMasks>("SelfMasks", kAddSelfMasks);
  register_options<JsMultiHeadOptions>("MultiHeadOptions", kAddSelfMasks);
  register_struct<JsMultiHeadResult>("MultiHeadResult");
  register_options<JsDecoderLayerOptions>("DecoderLayerOptions", [](auto& options) {
    kAddSelfMasks(options);
    add_masks<&JsDecoderLayerOptions::memory_masks>(options, kMemoryMaskNames);
  });

  register_layer<ResidentLinear, make<ResidentLinear, LinearConfig>, forward_linear>("Linear");
  register_options<PatchEmbeddingConfig>("PatchEmbeddingConfig");
  register_layer<ResidentPatches, make<ResidentPatches, PatchEmbeddingConfig>, forward_patches>("PatchEmbedding");
  register_layer<ResidentFeedForward, make<ResidentFeedForward, FeedForwardConfig>, forward_feed_forward>(
      "FeedForward");
  register_layer<ResidentAttention, make<ResidentAttention, AttentionConfig>, forward_attention>("MultiHeadAttention");
  register_layer<ResidentEncoderLayer, make<ResidentEncoderLayer, LayerConfig>, forward_encoder_layer>("EncoderLayer");
  register_layer<ResidentDecoderLayer, make<ResidentDecoderLayer, LayerConfig>, forward_decoder_layer>("DecoderLayer");
}

}  // namespace transformer::bindings

// Single layers, each callable alone. They take their weights out of the loader and live until JavaScript releases
// them.
#include "configs.h"
#include "context.h"
#include "guarded.h"
#include "masks.h"
#include "transformer/layer_pass.h"

namespace transformer::bindings {

namespace {

// y = activation(x W^T + b)
struct LinearConfig {
  int in_features = 0;
  int out_features = 0;
  bool bias = true;
  Activation activation = Activation::kNone;
};

struct ResidentLinear : Resident<Linear> {
  ResidentLinear(Context& context, WeightsLoader& weights, const LinearConfig& config)
      : Resident(context, weights, config.in_features, config.out_features, config.bias),
        activation(config.activation) {}
  Activation activation;
};
using ResidentFeedForward = Resident<FeedForward>;
using ResidentAttention = Resident<MultiHeadAttention>;
using ResidentEncoderLayer = Resident<EncoderLayer>;
struct ResidentDecoderLayer : Resident<DecoderLayer> {
  ResidentDecoderLayer(Context& context, WeightsLoader& weights, const LayerConfig& config)
      : Resident(context, weights, config, true) {}
};

template <class Layer, class Config>
std::shared_ptr<Layer> make(Context& context, const Partial<Config>& config, WeightsLoader& weights) {
  return std::make_shared<Layer>(context, weights, config.read());
}

std::shared_ptr<ResidentLinear> make_linear(Context& context, const Partial<LinearConfig>& given,
                                            WeightsLoader& weights) {
  const LinearConfig config = given.read();
  require(config.in_features > 0 && config.out_features > 0, "inFeatures and outFeatures must be positive, got ",
          config.in_features, " and ", config.out_features);
  return std::make_shared<ResidentLinear>(context, weights, config);
}

template <class T>
double parameter_count(const T& layer) {
  return layer.parameter_count;
}

// Applies `forward` to the rows of x [..., in].
Tensor forward_rows(const Tensor& x, int in, int out, const auto& forward) {
  require(!x.shape().empty() && x.shape().back() == in, "x must be ", in, " wide, got the shape ",
          to_string(x.shape()));
  Shape shape = x.shape();
  shape.back() = out;
  Tensor result(shape);
  forward(x.matrix(), result.matrix());
  return result;
}

JsTensor forward_linear(ResidentLinear& resident, const JsTensor& x) {
  const Linear& layer = resident.layer;
  Workspace workspace = resident.workspace();
  return JsTensor(forward_rows(x.read("x"), layer.in_features(), layer.out_features(), [&](ConstView in, View out) {
    layer.forward(in, out, workspace, resident.activation);
  }));
}

JsTensor forward_feed_forward(ResidentFeedForward& resident, const JsTensor& x) {
  const int width = resident.layer.d_model();
  Workspace workspace = resident.workspace();
  return JsTensor(forward_rows(x.read("x"), width, width,
                               [&](ConstView in, View out) { resident.layer.forward(in, {out}, workspace); }));
}

struct JsMultiHeadOptions : JsSelfMasks {
  bool need_weights = false;
  bool average_weights = false;
};

struct JsMultiHeadResult {
  JsTensor output;
  MaybeTensor weights;
};

JsMultiHeadResult forward_attention(ResidentAttention& resident, const JsTensor& query, const JsTensor& key,
                                    const JsTensor& value, const Partial<JsMultiHeadOptions>& given) {
  const JsMultiHeadOptions options = given.read();
  const WantedWeights wanted = !options.need_weights     ? WantedWeights::kNone
                               : options.average_weights ? WantedWeights::kMean
                                                         : WantedWeights::kPerHead;
  Workspace workspace = resident.workspace();
  const AttentionLayerResult result = run_layer(resident.layer,
                                                {JsInput(query).read("query"), JsInput(key).read("key"),
                                                 JsInput(value).read("value"), options.masks(), options.is_causal},
                                                wanted, workspace);
  return {JsTensor(result.output), MaybeTensor(result.weights)};
}

JsTensor forward_encoder_layer(ResidentEncoderLayer& resident, const JsTensor& x, const Partial<JsSelfMasks>& given) {
  const JsSelfMasks options = given.read();
  Workspace workspace = resident.workspace();
  return JsTensor(run_layer(resident.layer, {JsInput(x).read("x"), options.masks(), options.is_causal}, workspace));
}

struct JsDecoderLayerOptions : JsSelfMasks, JsMemoryMasks {};

JsTensor forward_decoder_layer(ResidentDecoderLayer& resident, const JsTensor& x, const JsTensor& memory,
                               const Partial<JsDecoderLayerOptions>& given) {
  const JsDecoderLayerOptions options = given.read();
  Workspace workspace = resident.workspace();
  return JsTensor(run_layer(resident.layer,
                            {JsInput(x).read("x"), JsInput(memory).read("memory"), options.masks(),
                             options.memory_masks(), options.is_causal},
                            workspace));
}

// A layer's class: how it is made, its pass, how many numbers its weights hold.
template <class Layer, auto Make, auto Forward>
void register_layer(const char* name) {
  emscripten::class_<Layer>(name)
      .smart_ptr_constructor(name, guarded<Make>)
      .function("forward", guarded<Forward>)
      .function("parameterCount", &parameter_count<Layer>);
}

}  // namespace

EMSCRIPTEN_BINDINGS(layers) {
  emscripten::value_object<LinearConfig>("LinearConfig")
      .field("inFeatures", &LinearConfig::in_features)
      .field("outFeatures", &LinearConfig::out_features)
      .field("bias", &LinearConfig::bias)
      .field("activation", &LinearConfig::activation);
  register_partial<LinearConfig>("LinearConfig");
  emscripten::value_object<JsSelfMasks> self("SelfMasks");
  add_self_masks(self);
  register_partial<JsSelfMasks>("SelfMasks");
  emscripten::value_object<JsMultiHeadOptions> attention("MultiHeadOptions");
  add_self_masks(attention);
  attention.field("needWeights", &JsMultiHeadOptions::need_weights)
      .field("averageWeights", &JsMultiHeadOptions::average_weights);
  register_partial<JsMultiHeadOptions>("MultiHeadOptions");
  emscripten::value_object<JsMultiHeadResult>("MultiHeadResult")
      .field("output", &JsMultiHeadResult::output)
      .field("weights", &JsMultiHeadResult::weights);
  emscripten::value_object<JsDecoderLayerOptions> decoder("DecoderLayerOptions");
  add_self_masks(decoder);
  add_memory_masks(decoder);
  register_partial<JsDecoderLayerOptions>("DecoderLayerOptions");

  register_layer<ResidentLinear, make_linear, forward_linear>("Linear");
  register_layer<ResidentFeedForward, make<ResidentFeedForward, FeedForwardConfig>, forward_feed_forward>(
      "FeedForward");
  register_layer<ResidentAttention, make<ResidentAttention, AttentionConfig>, forward_attention>("MultiHeadAttention");
  register_layer<ResidentEncoderLayer, make<ResidentEncoderLayer, LayerConfig>, forward_encoder_layer>("EncoderLayer");
  register_layer<ResidentDecoderLayer, make<ResidentDecoderLayer, LayerConfig>, forward_decoder_layer>("DecoderLayer");
}

}  // namespace transformer::bindings

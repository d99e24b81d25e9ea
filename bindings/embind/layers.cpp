#include "layers.h"

namespace transformer::bindings {

namespace {

AttentionConfig attention_config_from_js(const Options& config) {
  AttentionConfig attention = attention_config(layer_config_from_js(config));
  attention.d_key = config.integer("kDim", attention.d_model);
  attention.d_value = config.integer("vDim", attention.d_model);
  attention.bias_kv = config.flag("biasKv");
  attention.zero_attention = config.flag("zeroAttention");
  return attention;
}

// Keeps the weights of one attention layer.
struct WeightsProbe : Probe {
  bool wants(std::string_view path) const override { return path == "weights"; }
  void record(std::string_view, Tensor tensor) override { weights = std::move(tensor); }
  Tensor weights;  // [batch, heads, queries, keys]
};

Tensor mean_over_heads(const Tensor& weights) {
  const int heads = weights.axis(1);
  Tensor mean = Tensor::zeros({weights.axis(0), weights.axis(2), weights.axis(3)});
  const std::size_t size = weights.axis(0) > 0 ? mean.size() / static_cast<std::size_t>(weights.axis(0)) : 0;
  const float* from = weights.data();
  for (int batch = 0; batch < weights.axis(0); ++batch) {
    float* to = mean.data() + static_cast<std::size_t>(batch) * size;
    for (int head = 0; head < heads; ++head, from += size) {
      for (std::size_t i = 0; i < size; ++i) to[i] += from[i] / static_cast<float>(heads);
    }
  }
  return mean;
}

val forward_rows(const val& x_js, int in, int out, const auto& forward) {
  const Tensor x = tensor_from_js(x_js, "x");
  require(!x.shape().empty() && x.shape().back() == in, "x must be ", in, " wide, got the shape ",
          to_string(x.shape()));
  Shape shape = x.shape();
  shape.back() = out;
  Tensor result(shape);
  forward(x.matrix(), result.matrix());
  return to_js(result);
}

}  // namespace

Activation activation_from_js(const std::string& name) {
  static constexpr std::pair<const char*, Activation> kNames[] = {{"none", Activation::kNone},
                                                                  {"relu", Activation::kRelu},
                                                                  {"relu2", Activation::kRelu2},
                                                                  {"relu6", Activation::kRelu6},
                                                                  {"gelu", Activation::kGelu},
                                                                  {"gelu_tanh", Activation::kGeluTanh},
                                                                  {"quick_gelu", Activation::kQuickGelu},
                                                                  {"silu", Activation::kSilu},
                                                                  {"mish", Activation::kMish},
                                                                  {"sigmoid", Activation::kSigmoid},
                                                                  {"tanh", Activation::kTanh}};
  for (const auto& [known, activation] : kNames) {
    if (name == known) return activation;
  }
  fail(ErrorCode::kUnsupported, "the activation '", name, "' is not known");
}

LayerConfig layer_config_from_js(const Options& config) {
  LayerConfig layer;
  layer.d_model = config.integer("dModel", 0);
  layer.num_heads = config.integer("numHeads", 1);
  layer.num_kv_heads = config.integer("numKvHeads", layer.num_heads);
  require(layer.num_heads > 0, "numHeads must be positive, got ", layer.num_heads);
  const int d_head = config.integer("dHead", 0);
  require(d_head > 0 || layer.d_model % layer.num_heads == 0, "dModel (", layer.d_model,
          ") must be a multiple of numHeads (", layer.num_heads, ")");
  layer.d_head = d_head > 0 ? d_head : layer.d_model / layer.num_heads;
  layer.d_ff = config.integer("dFf", 0);
  layer.activation = activation_from_js(config.text("activation", "relu"));
  layer.gated = config.flag("gated");
  const bool bias = config.flag("bias", true);
  layer.attention_bias = config.flag("attentionBias", bias);
  layer.key_bias = config.flag("keyBias", true);
  layer.feed_forward_bias = config.flag("feedForwardBias", bias);
  layer.norm_place = config.text("norm", "post") == "pre" ? NormPlace::kPre : NormPlace::kPost;
  layer.norm.kind = config.text("normKind", "layer") == "rms" ? NormKind::kRms : NormKind::kLayer;
  layer.norm.eps = static_cast<float>(config.number("eps", 1e-5));
  layer.norm.bias = config.flag("normBias", true);
  layer.attention_scale = static_cast<float>(config.number("attentionScale", 0));
  return layer;
}

std::shared_ptr<ResidentLinear> make_linear(Context& context, const val& config_js, WeightsInput& weights) {
  const Options config(config_js);
  const int in = config.integer("inFeatures", 0);
  const int out = config.integer("outFeatures", 0);
  require(in > 0 && out > 0, "inFeatures and outFeatures must be positive, got ", in, " and ", out);
  return std::make_shared<ResidentLinear>(context, weights, in, out, config.flag("bias", true),
                                          activation_from_js(config.text("activation", "none")));
}

std::shared_ptr<ResidentFeedForward> make_feed_forward(Context& context, const val& config, WeightsInput& weights) {
  const LayerConfig layer = layer_config_from_js(Options(config));
  require(layer.d_model > 0 && layer.d_ff > 0, "dModel and dFf must be positive, got ", layer.d_model, " and ",
          layer.d_ff);
  return std::make_shared<ResidentFeedForward>(context, weights, feed_forward_config(layer));
}

std::shared_ptr<ResidentAttention> make_attention(Context& context, const val& config, WeightsInput& weights) {
  return std::make_shared<ResidentAttention>(context, weights, attention_config_from_js(Options(config)));
}

std::shared_ptr<ResidentEncoderLayer> make_encoder_layer(Context& context, const val& config, WeightsInput& weights) {
  return std::make_shared<ResidentEncoderLayer>(context, weights, layer_config_from_js(Options(config)));
}

std::shared_ptr<ResidentDecoderLayer> make_decoder_layer(Context& context, const val& config, WeightsInput& weights) {
  return std::make_shared<ResidentDecoderLayer>(context, weights, layer_config_from_js(Options(config)));
}

val forward_linear(ResidentLinear& layer, const val& x) {
  Workspace workspace = layer.workspace();
  return forward_rows(x, layer.layer.in_features(), layer.layer.out_features(),
                      [&](ConstView in, View out) { layer.layer.forward(in, out, workspace, layer.activation); });
}

val forward_feed_forward(ResidentFeedForward& layer, const val& x) {
  Workspace workspace = layer.workspace();
  const int width = layer.layer.d_model();
  return forward_rows(x, width, width, [&](ConstView in, View out) { layer.layer.forward(in, out, workspace); });
}

val forward_attention(ResidentAttention& layer, const val& query_js, const val& key_js, const val& value_js,
                      const val& options_js) {
  const Options options(options_js);
  const AttentionConfig& config = layer.layer.config();
  const OwnedSequences query = sequences_from_js(query_js, "query", false, config.d_model);
  const OwnedSequences key = sequences_from_js(key_js, "key", false, config.d_key);
  const OwnedSequences value = sequences_from_js(value_js, "value", false, config.d_value);
  const int batch = query.view.batch;
  const int keys = key.view.time;
  require(key.view.batch == batch && value.view.batch == batch, "query, key and value must have one batch size, got ",
          batch, ", ", key.view.batch, " and ", value.view.batch);
  require(value.view.time == keys, "value must have as many rows as key, ", keys, ", got ", value.view.time);

  OwnedMask mask = mask_from_js(options, {}, {batch, config.num_heads, query.view.time, keys});
  mask.view.causal = options.flag("isCausal");
  WeightsProbe probe;
  const bool need_weights = options.flag("needWeights");
  Workspace workspace = layer.workspace(need_weights ? &probe : nullptr);
  Tensor output(query.shape_with(config.d_model));
  layer.layer.forward(query.view.vectors, key.view.vectors, value.view.vectors, batch, mask.view, output.matrix(),
                      workspace);
  val result = val::object();
  result.set("output", to_js(output));
  if (need_weights) {
    Tensor weights = options.flag("averageWeights") ? mean_over_heads(probe.weights) : std::move(probe.weights);
    if (!query.batched) {
      const Shape shape(weights.shape().begin() + 1, weights.shape().end());
      weights = std::move(weights).reshaped(shape);
    }
    result.set("weights", to_js(weights));
  }
  return result;
}

val forward_encoder_layer(ResidentEncoderLayer& layer, const val& x_js, const val& options_js) {
  const Options options(options_js);
  const AttentionConfig& config = layer.layer.self_attention().config();
  OwnedSequences x = sequences_from_js(x_js, "x", false, config.d_model);
  const int time = x.view.time;
  OwnedMask mask = mask_from_js(options, {}, {x.view.batch, config.num_heads, time, time});
  mask.view.causal = options.flag("isCausal");
  Workspace workspace = layer.workspace();
  layer.layer.forward(x.vectors.matrix(), x.view.batch, mask.view, workspace);
  return to_js(x.vectors);
}

val forward_decoder_layer(ResidentDecoderLayer& layer, const val& x_js, const val& memory_js, const val& options_js) {
  const Options options(options_js);
  OwnedSequences x = sequences_from_js(x_js, "x", false, layer.d_model);
  const OwnedSequences memory = sequences_from_js(memory_js, "memory", false, layer.d_model);
  const int batch = x.view.batch;
  const int time = x.view.time;
  const int keys = memory.view.time;
  require(memory.view.batch == batch, "x and memory must have one batch size, got ", batch, " and ", memory.view.batch);
  OwnedMask self_mask = mask_from_js(options, {}, {batch, layer.heads, time, time});
  self_mask.view.causal = options.flag("isCausal");
  const OwnedMask cross_mask =
      mask_from_js(options, {"memoryMask", "memoryBias", "memoryKeyPaddingMask"}, {batch, layer.heads, time, keys});
  Workspace workspace = layer.workspace();
  const Arena::Scope scope(workspace.arena);
  const auto make_cache = [&](const KvCache::Size& size) {
    return KvCache(size, workspace.arena.take(KvCache::float_count(size)));
  };
  KvCache self = make_cache(layer.layer.self_cache_size(batch, time));
  KvCache cross = make_cache(layer.layer.cross_cache_size(batch, keys));
  layer.layer.append_memory(memory.view.vectors, cross, workspace);
  layer.layer.forward(x.vectors.matrix(), {self, &cross}, {self_mask.view, cross_mask.view}, workspace);
  return to_js(x.vectors);
}

}  // namespace transformer::bindings

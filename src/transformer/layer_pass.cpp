#include "transformer/layer_pass.h"

#include <algorithm>

namespace transformer {

namespace {

// Records the weights of one attention layer.
class WeightsObserver : public Observer {
 public:
  bool wants(std::string_view path) const override { return path == "weights"; }
  void record(std::string_view, Tensor tensor) override { weights = std::move(tensor); }

  Tensor weights;  // [batch, heads, queries, keys]
};

void require_one_batch(int a, int b, const char* what) {
  require(a == b, what, " must have the same batch size, got ", a, " and ", b);
}

// Applies forward(in, out) to the rows of x [..., in_features].
Tensor forward_rows(const Tensor& x, int in_features, int out_features, const auto& forward) {
  require(!x.shape().empty() && x.shape().back() == in_features, "x must have the width ", in_features,
          ", got the shape ", to_string(x.shape()));
  Shape shape = x.shape();
  shape.back() = out_features;
  Tensor result(shape);
  forward(x.matrix(), result.matrix());
  return result;
}

}  // namespace

Tensor run_layer(const Linear& layer, Activation activation, const Tensor& x, Workspace& workspace) {
  return forward_rows(x, layer.in_features(), layer.out_features(),
                      [&](ConstView in, View out) { layer.forward(in, out, workspace, activation); });
}

Tensor run_layer(const FeedForward& layer, const Tensor& x, Workspace& workspace) {
  return forward_rows(x, layer.d_model(), layer.d_model(),
                      [&](ConstView in, View out) { layer.forward(in, {out}, workspace); });
}

Tensor mean_over_heads(const Tensor& weights) {
  const int batch = weights.axis(0), heads = weights.axis(1);
  Tensor mean = Tensor::zeros({batch, weights.axis(2), weights.axis(3)});
  const std::size_t size = batch > 0 ? mean.size() / batch : 0;
  const float* from = weights.data();
  for (int row = 0; row < batch; ++row) {
    float* to = mean.data() + row * size;
    for (int head = 0; head < heads; ++head, from += size) {
      for (std::size_t i = 0; i < size; ++i) to[i] += from[i] / static_cast<float>(heads);
    }
  }
  return mean;
}

Tensor run_layer(const PatchEmbedding& layer, const Tensor& images, Workspace& workspace) {
  const Shape& shape = images.shape();
  const int axes = count_of(shape), channels = layer.config().channels, patch = layer.config().patch;
  require((axes == 3 || axes == 4) && shape[axes - 3] == channels &&
              std::min(shape[axes - 1], shape[axes - 2]) >= patch && images.size() > 0,
          "images must be [batch, ", channels, ", height, width] with sides of at least ", patch, ", got ",
          to_string(shape));
  const Pictures pictures = {images.data(), axes == 4 ? shape[0] : 1, shape[axes - 2], shape[axes - 1], 0, {}};
  const int tokens = layer.tokens_of(pictures);
  Tensor states(axes == 4 ? Shape{pictures.batch, tokens, layer.d_model()} : Shape{tokens, layer.d_model()});
  layer.forward(pictures, states.matrix(), workspace);
  return states;
}

AttentionLayerResult run_layer(const MultiHeadAttention& layer, AttentionCall call, Workspace& workspace) {
  const AttentionConfig& config = layer.config();
  const InputTensor& query = checked_vectors(call.query, "query", config.d_model);
  const InputTensor& key = checked_vectors(call.key, "key", config.d_key);
  const InputTensor& value = checked_vectors(call.value, "value", config.d_value);
  const int batch = query.batch(), keys = key.time();
  require_one_batch(batch, key.batch(), "query and key");
  require_one_batch(batch, value.batch(), "query and value");
  require(value.time() == keys, "value must have as many rows as key (", keys, "), got ", value.time());

  OwnedMask mask = make_mask(std::move(call.masks), {}, {batch, config.num_heads, query.time(), keys});
  mask.view.causal = call.is_causal;
  WeightsObserver observer;
  Workspace observed{workspace.arena, workspace.threads};
  if (call.need_weights) observed.observer = &observer;
  Tensor output({batch * query.time(), config.d_model});
  const Segments queries = {batch, query.time()};
  layer.forward(
      {query.vectors.matrix(), key.vectors.matrix(), value.vectors.matrix(), queries, {batch, keys}, mask.view},
      {output.matrix()}, observed);
  AttentionLayerResult result = {query.restore(std::move(output)), std::move(observer.weights)};
  if (call.need_weights && call.average_weights) result.weights = mean_over_heads(result.weights);
  if (call.need_weights && !query.is_batched()) {
    const Shape& shape = result.weights.shape();
    result.weights = std::move(result.weights).reshaped(Shape(shape.begin() + 1, shape.end()));
  }
  return result;
}

Tensor run_layer(const EncoderLayer& layer, EncoderLayerCall call, Workspace& workspace) {
  const AttentionConfig& config = layer.self_attention().config();
  const InputTensor& x = checked_vectors(call.x, "x", config.d_model);
  OwnedMask mask = make_mask(std::move(call.masks), {}, {x.batch(), config.num_heads, x.time(), x.time()});
  mask.view.causal = call.is_causal;
  layer.forward(call.x.vectors.matrix(), {x.batch(), x.time()}, mask.view, workspace);
  return std::move(call.x.vectors);
}

Tensor run_layer(const DecoderLayer& layer, DecoderLayerCall call, Workspace& workspace) {
  const AttentionConfig& config = layer.self_attention().config();
  const InputTensor& x = checked_vectors(call.x, "x", config.d_model);
  const InputTensor& memory = checked_vectors(call.memory, "memory", config.d_model);
  const int batch = x.batch(), time = x.time(), keys = memory.time();
  require_one_batch(batch, memory.batch(), "x and memory");
  OwnedMask self_mask = make_mask(std::move(call.masks), {}, {batch, config.num_heads, time, time});
  self_mask.view.causal = call.is_causal;
  const OwnedMask cross_mask =
      make_mask(std::move(call.memory_masks), kMemoryMaskNames, {batch, config.num_heads, time, keys});
  const Arena::Scope scope(workspace.arena);
  const auto make_cache = [&](const KvCache::Size& size) {
    const std::size_t floats = KvCache::float_count(size);
    return KvCache(size, {workspace.arena.take(floats), floats});
  };
  KvCache self = make_cache(layer.self_cache_size(batch, time));
  KvCache cross = make_cache(layer.cross_cache_size(batch, keys));
  layer.append_memory(memory.vectors.matrix(), {batch, keys}, cross, workspace);
  const Segments tokens = {batch, time};
  layer.forward(call.x.vectors.matrix(), {tokens, tokens}, {&self, &cross}, {self_mask.view, cross_mask.view},
                workspace);
  return std::move(call.x.vectors);
}

}  // namespace transformer

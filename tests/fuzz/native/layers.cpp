// Single layers of any config on tensors of any shapes, with any masks: an error, or a result that is the same on two
// threads.
#include "fuzzed.h"
#include "transformer/layer_pass.h"

namespace transformer::fuzz {
namespace {

// The sizes of the inputs; the tensors mostly have them.
struct Sizes {
  explicit Sizes(Data& data)
      : batch(data.ConsumeIntegralInRange(0, 3)),
        queries(data.ConsumeIntegralInRange(0, 6)),
        keys(data.ConsumeIntegralInRange(0, 70)) {}

  InputTensor input(Data& data, int time, int width) const {
    Shape shape = {batch, time, width};
    const int kind = data.ConsumeIntegralInRange(0, 15);
    if (kind == 15) shape = shape_from(data);
    if (kind > 11 && !shape.empty()) shape.erase(shape.begin());
    InputTensor input;
    input.vectors = tensor_from(data, shape);
    input.shape = shape;
    return input;
  }

  MaskTensors masks(Data& data, int time) const {
    MaskTensors masks;
    if (data.ConsumeBool())
      masks.mask = mask_from(data, data.ConsumeBool() ? Shape{batch, 1, queries, time} : shape_from(data));
    if (data.ConsumeBool())
      masks.bias = tensor_from(data, data.ConsumeBool() ? Shape{queries, time} : shape_from(data));
    if (data.ConsumeBool()) masks.padding = mask_from(data, data.ConsumeBool() ? Shape{batch, time} : shape_from(data));
    return masks;
  }

  int batch, queries, keys;
};

MaskTensors copy(const MaskTensors& masks) { return {masks.mask.clone(), masks.bias.clone(), masks.padding.clone()}; }
InputTensor copy(const InputTensor& input) { return {input.shape, false, {}, input.vectors.clone(), {}}; }

// Calls `pass`, which returns a tensor, with one and with two threads.
void require_same_on_two_threads(const auto& pass) {
  static ThreadPool one(1), two(2);
  Arena arena;
  Workspace alone{arena, one}, shared{arena, two};
  const Tensor expected = pass(alone);
  require_same_bits(expected, pass(shared));
}

AttentionConfig attention_from(Data& data) {
  AttentionConfig config;
  config.d_model = size_from(data, 12);
  config.d_key = size_from(data, 5);
  config.d_value = size_from(data, 5);
  config.num_heads = size_from(data, 4);
  config.num_kv_heads = size_from(data, 2);
  config.d_head = size_from(data, 4);
  config.bias = data.ConsumeBool();
  if (data.ConsumeBool()) config.unbiased = data.ConsumeBool() ? "k" : "qvo";
  config.bias_kv = data.ConsumeBool();
  config.zero_attention = data.ConsumeBool();
  return config;
}

void require_small(const AttentionConfig& given) {
  const AttentionConfig config = resolved(given);
  for (int width : {config.d_model, config.d_key, config.d_value})
    require(1.0 * config.num_heads * config.d_head * width < 1e5, "too large for a fuzzer");
}

void linear(Data& data, Weights& weights) {
  const LinearConfig config = {size_from(data, 20), size_from(data, 20), data.ConsumeBool(),
                               enum_from<Activation>(data)};
  require(1.0 * checked(config).in_features * config.out_features < 1e5, "too large for a fuzzer");
  const Linear layer(WeightScope(weights), config.in_features, config.out_features, config.bias);
  const Tensor x = Sizes(data).input(data, 3, config.in_features).vectors;
  require_same_on_two_threads([&](Workspace& workspace) { return run_layer(layer, config.activation, x, workspace); });
}

void feed_forward(Data& data, Weights& weights) {
  const FeedForwardConfig config = {size_from(data, 20), size_from(data, 20), enum_from<Activation>(data),
                                    data.ConsumeBool(), data.ConsumeBool()};
  require(1.0 * checked(config).d_model * config.d_ff < 1e5, "too large for a fuzzer");
  const FeedForward layer(WeightScope(weights), config);
  const Tensor x = Sizes(data).input(data, 3, config.d_model).vectors;
  require_same_on_two_threads([&](Workspace& workspace) { return run_layer(layer, x, workspace); });
}

void attention(Data& data, Weights& weights) {
  const AttentionConfig config = attention_from(data);
  require_small(config);
  const MultiHeadAttention layer(WeightScope(weights), config);
  const Sizes sizes(data);
  const AttentionConfig full = resolved(config);
  const InputTensor query = sizes.input(data, sizes.queries, full.d_model);
  const InputTensor key = sizes.input(data, sizes.keys, full.d_key);
  const InputTensor value = sizes.input(data, sizes.keys, full.d_value);
  const MaskTensors masks = sizes.masks(data, sizes.keys);
  const bool is_causal = data.ConsumeBool(), averages = data.ConsumeBool();
  require_same_on_two_threads([&](Workspace& workspace) {
    AttentionLayerResult result =
        run_layer(layer, {copy(query), copy(key), copy(value), copy(masks), is_causal, true, averages}, workspace);
    return std::move(result.output);
  });
}

LayerConfig layer_from(Data& data) {
  LayerConfig config;
  config.d_model = size_from(data, 12);
  config.attention = attention_from(data);
  config.feed_forward.d_ff = size_from(data, 12);
  config.feed_forward.gated = data.ConsumeBool();
  config.norm_place = enum_from<NormPlace>(data);
  config.norm.kind = enum_from<NormKind>(data);
  require_small(attention_of(config));
  require(1.0 * feed_forward_of(config).d_model * config.feed_forward.d_ff < 1e5, "too large for a fuzzer");
  return config;
}

void encoder_layer(Data& data, Weights& weights) {
  const LayerConfig config = layer_from(data);
  const EncoderLayer layer(WeightScope(weights), config);
  const Sizes sizes(data);
  const InputTensor x = sizes.input(data, sizes.queries, config.d_model);
  const MaskTensors masks = sizes.masks(data, sizes.queries);
  const bool is_causal = data.ConsumeBool();
  require_same_on_two_threads(
      [&](Workspace& workspace) { return run_layer(layer, {copy(x), copy(masks), is_causal}, workspace); });
}

void decoder_layer(Data& data, Weights& weights) {
  const LayerConfig config = layer_from(data);
  const DecoderLayer layer(WeightScope(weights), config, config.d_model);
  const Sizes sizes(data);
  const InputTensor x = sizes.input(data, sizes.queries, config.d_model);
  const InputTensor memory = sizes.input(data, sizes.keys, config.d_model);
  const MaskTensors masks = sizes.masks(data, sizes.queries), memory_masks = sizes.masks(data, sizes.keys);
  const bool is_causal = data.ConsumeBool();
  require_same_on_two_threads([&](Workspace& workspace) {
    return run_layer(layer, {copy(x), copy(memory), copy(masks), copy(memory_masks), is_causal}, workspace);
  });
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer;
  using namespace transformer::fuzz;
  Data data(bytes, size);
  may_refuse([&] {
    Weights weights = weights_from(data);
    switch (data.ConsumeIntegralInRange(0, 4)) {
      case 0: return linear(data, weights);
      case 1: return feed_forward(data, weights);
      case 2: return attention(data, weights);
      case 3: return encoder_layer(data, weights);
      default: return decoder_layer(data, weights);
    }
  });
  return 0;
}

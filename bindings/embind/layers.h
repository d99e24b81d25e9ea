// Single layers, callable alone.
#pragma once

#include "attention/multi_head.h"
#include "context.h"
#include "transformer/decoder_layer.h"

namespace transformer::bindings {

Activation activation_from_js(const std::string& name);
LayerConfig layer_config_from_js(const Options& config);

// Each takes its weights out of `weights` and lives until JavaScript lets go of it.
struct ResidentLinear : Resident<Linear> {
  ResidentLinear(Context& context, WeightsInput& weights, int in, int out, bool bias, Activation activation_after)
      : Resident(context, weights, in, out, bias), activation(activation_after) {}
  Activation activation;
};
using ResidentFeedForward = Resident<FeedForward>;
using ResidentAttention = Resident<MultiHeadAttention>;
using ResidentEncoderLayer = Resident<EncoderLayer>;
struct ResidentDecoderLayer : Resident<DecoderLayer> {
  ResidentDecoderLayer(Context& context, WeightsInput& weights, const LayerConfig& config)
      : Resident(context, weights, config, true), d_model(config.d_model), heads(config.num_heads) {}
  int d_model;
  int heads;
};

std::shared_ptr<ResidentLinear> make_linear(Context& context, const val& config, WeightsInput& weights);
std::shared_ptr<ResidentFeedForward> make_feed_forward(Context& context, const val& config, WeightsInput& weights);
std::shared_ptr<ResidentAttention> make_attention(Context& context, const val& config, WeightsInput& weights);
std::shared_ptr<ResidentEncoderLayer> make_encoder_layer(Context& context, const val& config, WeightsInput& weights);
std::shared_ptr<ResidentDecoderLayer> make_decoder_layer(Context& context, const val& config, WeightsInput& weights);

val forward_linear(ResidentLinear& layer, const val& x);
val forward_feed_forward(ResidentFeedForward& layer, const val& x);
// { output, weights? }
val forward_attention(ResidentAttention& layer, const val& query, const val& key, const val& value, const val& options);
val forward_encoder_layer(ResidentEncoderLayer& layer, const val& x, const val& options);
val forward_decoder_layer(ResidentDecoderLayer& layer, const val& x, const val& memory, const val& options);

}  // namespace transformer::bindings

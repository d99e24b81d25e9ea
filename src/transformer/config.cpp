#include "transformer/config.h"

#include <algorithm>

#include "base/error.h"

namespace transformer {

AttentionConfig attention_of(const LayerConfig& layer) {
  AttentionConfig attention = layer.attention;
  attention.d_model = layer.d_model;
  attention.norm = layer.norm;
  attention = resolved(attention);
  require(attention.d_key == layer.d_model && attention.d_value == layer.d_model,
          "kDim and vDim of a layer's attention must be dModel (", layer.d_model, "), got ", attention.d_key, " and ",
          attention.d_value);
  return attention;
}

FeedForwardConfig feed_forward_of(const LayerConfig& layer) {
  FeedForwardConfig feed_forward = layer.feed_forward;
  feed_forward.d_model = layer.d_model;
  return checked(feed_forward);
}

namespace {

void validate(const StackConfig& stack) {
  attention_of(stack.layer);
  feed_forward_of(stack.layer);
  require(stack.vocab >= 0, "vocabSize must not be negative, got ", stack.vocab);
  require(stack.token_types >= 0, "tokenTypes must not be negative, got ", stack.token_types);
  require(stack.input_positions >= 0, "inputPositions must not be negative, got ", stack.input_positions);
  require(stack.embedding_width >= 0, "embeddingWidth must not be negative, got ", stack.embedding_width);
  require(stack.embedding_width == 0 || stack.vocab > 0, "embeddingWidth needs a vocabulary");
  require(stack.layer_groups >= 0 && stack.layer_groups <= stack.num_layers, "layerGroups must be at most numLayers (",
          stack.num_layers, "), got ", stack.layer_groups);
  require(only_rotates(stack.other_positions), "otherPositions must be rotary or none");
  require(stack.other_layers.empty() || stack.layer_groups == 0, "otherLayers needs layers with weights of their own");
  require(stack.windows.empty() || count_of(stack.windows) == stack.num_layers,
          "windows must be one number for each of the ", stack.num_layers, " layers, got ", stack.windows.size());
}

void validate_embeddings(const TransformerConfig& config) {
  const int source = config.encoder.vocab, target = config.decoder.vocab;
  require(!config.share_embeddings || source == target, "shareEmbeddings needs one vocabulary, but the source has ",
          source, " tokens and the target ", target);
  require(!config.share_embeddings || config.encoder.input_width() == config.decoder.input_width(),
          "shareEmbeddings needs embeddings of one width, but they have ", config.encoder.input_width(), " and ",
          config.decoder.input_width());
  require(!config.share_embeddings || source > 0,
          "shareEmbeddings needs a vocabulary, so that there is an embedding to share");
}

void validate_projection(const TransformerConfig& config) {
  const ProjectionConfig& projection = config.projection;
  require(projection.vocab >= 0, "the output projection's vocab must not be negative, got ", projection.vocab);
  const bool reads_one_state = config.head.reads != HeadInput::kEach;
  require(projection.vocab == 0 || !reads_one_state,
          "the output projection needs every state, but the head before it reads one of each sequence");
  int width = config.d_model();
  for (const HeadStep& step : config.head.steps) width = step.out_features > 0 ? step.out_features : width;
  const int wanted = projection.tied ? config.last_stack().input_width() : config.d_model();
  require(projection.vocab == 0 || width == wanted, "the output projection needs an input of width ", wanted,
          ", but what is before it has the output width ", width);
  if (!projection.tied) return;
  const int vocab = config.last_stack().vocab;
  require(vocab > 0,
          "tieEmbeddings needs a vocabulary, so that there is an embedding to share with the output projection");
  require(vocab == projection.vocab, "tieEmbeddings needs one vocabulary, but the embedding has ", vocab,
          " tokens and the output projection ", projection.vocab);
}

}  // namespace

namespace {

double estimated_parameters(const StackConfig& stack, int attentions) {
  if (stack.num_layers == 0) return 0;
  const AttentionConfig attention = attention_of(stack.layer);
  const FeedForwardConfig feed_forward = feed_forward_of(stack.layer);
  const double d_model = stack.layer.d_model;
  const double heads = 2.0 * attention.num_heads + 2.0 * attention.num_kv_heads;
  const double of_layer =
      attentions * heads * attention.d_head * d_model + (feed_forward.gated ? 3.0 : 2.0) * feed_forward.d_ff * d_model;
  const int layers = stack.layer_groups > 0 ? stack.layer_groups : stack.num_layers;
  return stack.num_layers + layers * of_layer + 1.0 * stack.vocab * stack.input_width();
}

}  // namespace

double estimated_parameters(const TransformerConfig& config) {
  const ProjectionConfig& projection = config.projection;
  return estimated_parameters(config.encoder, 1) +
         estimated_parameters(config.decoder, config.encoder.num_layers > 0 ? 2 : 1) +
         (projection.tied ? 0.0 : 1.0 * projection.vocab * config.d_model());
}

void validate(const TransformerConfig& config) {
  const StackConfig& encoder = config.encoder;
  const StackConfig& decoder = config.decoder;
  require(encoder.num_layers >= 0 && decoder.num_layers >= 0 && std::max(encoder.num_layers, decoder.num_layers) > 0,
          "a transformer needs at least one encoder or decoder layer, got ", encoder.num_layers, " and ",
          decoder.num_layers);
  if (encoder.num_layers > 0) validate(encoder);
  if (decoder.num_layers > 0) validate(decoder);
  require(decoder.layer_groups == 0, "layerGroups is for encoders");
  require(!config.has_front() || (encoder.num_layers > 0 && encoder.vocab == 0),
          "a front end needs an encoder of vectors");
  const bool reads_pool = config.pooler.reads == HeadInput::kPool || config.head.reads == HeadInput::kPool;
  require(!reads_pool || config.pool.num_heads > 0, "a head that reads the pool needs one");
  require(!config.contrast.embeds || config.head.reads != HeadInput::kEach,
          "contrast needs a head that reads one state of each sequence");
  require(decoder.num_layers == 0 || (config.pool.num_heads == 0 && !config.contrast.embeds),
          "pool and contrast are for encoders alone");
  require(!encoder.layer.ssru, "ssru is for decoders");
  require(!config.memory_projection || (encoder.num_layers > 0 && decoder.num_layers > 0),
          "memoryProjection needs an encoder and a decoder");
  validate_embeddings(config);
  validate_projection(config);
}

}  // namespace transformer

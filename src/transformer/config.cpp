#include "transformer/config.h"

#include "base/error.h"

namespace transformer {

namespace {

constexpr int kMaxWidth = 1 << 24;  // of all heads together; far beyond any model, and no product of it overflows

void validate(const StackConfig& stack) {
  const LayerConfig& layer = stack.layer;
  require(layer.d_model > 0, "dModel must be positive, got ", layer.d_model);
  require(layer.num_heads > 0, "numHeads must be positive, got ", layer.num_heads);
  require(layer.d_head > 0, "dModel (", layer.d_model, ") must be a multiple of numHeads (", layer.num_heads, ")");
  require(layer.num_kv_heads > 0 && layer.num_heads <= kMaxWidth / layer.d_head,
          "the heads are too many or too wide: ", layer.num_heads, " of ", layer.d_head);
  require(layer.d_ff > 0, "dFf must be positive, got ", layer.d_ff);
  require(stack.vocab >= 0 && stack.token_types >= 0, "a vocabulary cannot be negative");
}

}  // namespace

void validate(const TransformerConfig& config) {
  const StackConfig& encoder = config.encoder;
  const StackConfig& decoder = config.decoder;
  require(encoder.num_layers >= 0 && decoder.num_layers >= 0 && encoder.num_layers + decoder.num_layers > 0,
          "a transformer needs at least one encoder or decoder layer, got ", encoder.num_layers, " and ",
          decoder.num_layers);
  if (encoder.num_layers > 0) validate(encoder);
  if (decoder.num_layers > 0) validate(decoder);
  require(encoder.num_layers == 0 || decoder.num_layers == 0 || encoder.layer.d_model == decoder.layer.d_model,
          "encoder and decoder must have one width, got ", encoder.layer.d_model, " and ", decoder.layer.d_model);
  require(!config.share_embeddings || encoder.vocab == decoder.vocab, "one embedding cannot serve ", encoder.vocab,
          " source and ", decoder.vocab, " target tokens");
  require(!config.share_embeddings || encoder.vocab > 0, "there is no embedding to share");
  require(config.output_vocab >= 0, "a vocabulary cannot be negative");
  int width = config.d_model();
  for (const HeadStep& step : config.head.steps) width = step.out_features > 0 ? step.out_features : width;
  require(config.output_vocab == 0 || width == config.d_model(), "the output projection takes states of ",
          config.d_model(), ", but the head before it gives ", width);
  if (config.tie_embeddings) {
    const int vocab = (decoder.num_layers > 0 ? decoder : encoder).vocab;
    require(vocab > 0, "tieEmbeddings needs embeddings to tie the projection to");
    require(vocab == config.output_vocab, "an embedding of ", vocab, " tokens cannot be the projection to ",
            config.output_vocab);
  }
  require(!config.has_position_table() || config.max_length > 0, "maxLength must be positive, got ", config.max_length);
}

}  // namespace transformer

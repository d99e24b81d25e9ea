#include "transformer/config.h"

#include "base/error.h"

namespace transformer {

void validate(const TransformerConfig& config) {
  const LayerConfig& layer = config.layer;
  require(layer.d_model > 0, "dModel must be positive, got ", layer.d_model);
  require(layer.num_heads > 0, "numHeads must be positive, got ", layer.num_heads);
  require(layer.d_head > 0, "dModel (", layer.d_model, ") must be a multiple of numHeads (", layer.num_heads, ")");
  require(layer.d_ff > 0, "dFf must be positive, got ", layer.d_ff);
  require(config.num_encoder_layers >= 0 && config.num_decoder_layers >= 0 &&
              config.num_encoder_layers + config.num_decoder_layers > 0,
          "a transformer needs at least one encoder or decoder layer, got ", config.num_encoder_layers, " and ",
          config.num_decoder_layers);
  if (config.embeddings) {
    require(config.num_encoder_layers == 0 || config.src_vocab > 0, "srcVocabSize must be positive, got ",
            config.src_vocab);
    require(config.num_decoder_layers == 0 || config.tgt_vocab > 0, "tgtVocabSize must be positive, got ",
            config.tgt_vocab);
    require(!config.share_embeddings || config.src_vocab == config.tgt_vocab, "one embedding cannot serve ",
            config.src_vocab, " source and ", config.tgt_vocab, " target tokens");
  }
  require(!config.projection || config.tgt_vocab > 0, "an output projection needs a vocabulary");
  require(!config.tie_embeddings || config.embeddings, "tieEmbeddings needs embeddings to tie the projection to");
  require(!config.tie_embeddings || config.num_decoder_layers > 0 || config.src_vocab == config.tgt_vocab,
          "an embedding of ", config.src_vocab, " tokens cannot be the projection to ", config.tgt_vocab);
  const bool needs_length = config.positions == Positions::kSinusoidal || config.positions == Positions::kLearned ||
                            config.positions == Positions::kRotary;
  require(!needs_length || config.max_length > 0, "maxLength must be positive, got ", config.max_length);
}

}  // namespace transformer

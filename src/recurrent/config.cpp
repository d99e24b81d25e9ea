#include "recurrent/config.h"

namespace transformer {

namespace {

void require_size(const char* name, int size) {
  require(size > 0 && size <= kMaxRecurrentSize, name, " must be positive, got ", size);
}

}  // namespace

RecurrentLayersConfig RecurrentConfig::encoder_layers() const {
  return {cell, d_embedding, hidden_size, num_layers, bidirectional, true};
}

RecurrentLayersConfig RecurrentConfig::decoder_layers() const {
  const bool is_luong = design == DecoderDesign::kLuong;
  const int fed = is_luong ? d_readout : encoder_layers().output_size();
  return {cell, d_embedding + fed, hidden_size, is_luong ? num_layers : 1, false, true};
}

AlignmentConfig RecurrentConfig::alignment() const {
  return {score, hidden_size, encoder_layers().output_size(), d_attention, window};
}

void validate(const RecurrentConfig& config) {
  require_size("srcVocabSize", config.source_vocab);
  require_size("tgtVocabSize", config.target_vocab);
  require_size("dEmbedding", config.d_embedding);
  require_size("hiddenSize", config.hidden_size);
  require_size("numLayers", config.num_layers);
  require_size("dReadout", config.d_readout);
  require(!config.share_embeddings || config.source_vocab == config.target_vocab, "one embedding cannot serve ",
          config.source_vocab, " source and ", config.target_vocab, " target tokens");
  require(!config.tie_embeddings || config.d_readout == config.d_embedding, "embeddings of ", config.d_embedding,
          " numbers cannot be the projection of a readout of ", config.d_readout);
  if (config.design == DecoderDesign::kLuong) {
    require(!config.bidirectional,
            "Luong's decoder starts from its encoder's states, so that encoder reads forward alone");
    require(!config.maxout, "Luong's readout is a tanh, not a maxout");
  }
}

}  // namespace transformer

// Everything that tells one recurrent encoder-decoder from another: a plain description, whatever file it came from.
#pragma once

#include "base/fields.h"
#include "recurrent/alignment.h"
#include "recurrent/recurrent_layers.h"

namespace transformer {

// Whose decoder: Bahdanau's attends before its cell reads and starts from where the encoder's last direction ended
// (Bahdanau et al. 2015, appendix A.2); Luong's attends after its cells, feeds what it found back to them and starts
// from the encoder's states (Luong et al. 2015, section 3).
enum class DecoderDesign { kBahdanau, kLuong };

constexpr auto enum_names(DecoderDesign) {
  return std::to_array<Named<DecoderDesign>>(
      {{"bahdanau", DecoderDesign::kBahdanau}, {"luong", DecoderDesign::kLuong}});
}

struct RecurrentConfig {
  DecoderDesign design = DecoderDesign::kBahdanau;
  CellKind cell = CellKind::kGru;
  int source_vocab = 0;
  int target_vocab = 0;
  int d_embedding = 0;
  int hidden_size = 0;         // of the encoder, each direction, and of the decoder
  int num_layers = 1;          // of the encoder and of Luong's decoder; Bahdanau's has one
  bool bidirectional = false;  // the encoder of Bahdanau's

  AlignmentScore score = AlignmentScore::kConcat;
  int d_attention = 0;  // inside of the tanh of the score and of the centre of local-p
  int window = 0;       // D of local-p; 0: attention to all of the source

  int d_readout = 0;    // what the logits are made of
  bool maxout = false;  // Bahdanau's readout: the greater of two each (Goodfellow et al. 2013), else tanh as Luong's
  bool share_embeddings = false;  // source and target have one table
  bool tie_embeddings = false;    // the projection to the logits is the target's table
  bool projection_bias = false;

  RecurrentLayersConfig encoder_layers() const;
  RecurrentLayersConfig decoder_layers() const;
  AlignmentConfig alignment() const;
};

constexpr auto fields_of(const RecurrentConfig*) {
  return std::tuple{Field{"design", &RecurrentConfig::design},
                    Field{"cell", &RecurrentConfig::cell},
                    Field{"srcVocabSize", &RecurrentConfig::source_vocab},
                    Field{"tgtVocabSize", &RecurrentConfig::target_vocab},
                    Field{"dEmbedding", &RecurrentConfig::d_embedding},
                    Field{"hiddenSize", &RecurrentConfig::hidden_size},
                    Field{"numLayers", &RecurrentConfig::num_layers},
                    Field{"bidirectional", &RecurrentConfig::bidirectional},
                    Field{"score", &RecurrentConfig::score},
                    Field{"dAttention", &RecurrentConfig::d_attention},
                    Field{"window", &RecurrentConfig::window},
                    Field{"dReadout", &RecurrentConfig::d_readout},
                    Field{"maxout", &RecurrentConfig::maxout},
                    Field{"shareEmbeddings", &RecurrentConfig::share_embeddings},
                    Field{"tieEmbeddings", &RecurrentConfig::tie_embeddings},
                    Field{"projectionBias", &RecurrentConfig::projection_bias}};
}

// Throws invalid_argument with the names that the user gave where the numbers cannot be such a model.
void validate(const RecurrentConfig& config);

}  // namespace transformer

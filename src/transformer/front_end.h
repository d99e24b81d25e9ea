// What turns sound or pictures into the vectors that an encoder reads in place of tokens.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "layers/convolution.h"
#include "layers/patches.h"

namespace transformer {

struct NoFrontEnd {
  static constexpr const char* kName = "none";
};

constexpr auto fields_of(const NoFrontEnd*) { return std::tuple{}; }

// Sound through convolutions (Radford et al. 2022: Whisper; Jeffries et al. 2024: Moonshine).
struct FramesConfig {
  static constexpr const char* kName = "frames";

  int bands = 0;   // features [bands, frames]; 0: samples [time], of any number
  int frames = 0;  // of features
  std::vector<ConvolutionConfig> convolutions;
};

constexpr auto fields_of(const FramesConfig*) {
  return std::tuple{Field{"bands", &FramesConfig::bands}, Field{"frames", &FramesConfig::frames},
                    Field{"convolutions", &FramesConfig::convolutions}};
}

using FrontEndConfig = std::variant<NoFrontEnd, FramesConfig, PatchesConfig>;

// Sound or pictures as a caller gives them; the batch axis is optional.
struct MediaTensors {
  Tensor values;           // [batch, bands, frames], [batch, samples], [batch, channels, height, width] or, of pictures
                           // that the caller cut, [batch, patches, channels * patch * patch]
  Tensor mask;             // of samples or patches, 1 = real; empty: all are
  std::vector<int> grids;  // of such patches: rows and columns of each picture

  bool is_missing() const { return values.empty(); }
};

// The input of the encoder.
struct EncodedMedia {
  Tensor vectors;      // [batch, time, d_model]
  Tensor mask;         // [batch, time], 1 = real; empty: all are
  Grid grid = {0, 0};  // of the patches; 0: they form none, or each picture has its own
};

class FrontEnd {
 public:
  // scope: the weights of the convolutions, or those of PatchEmbedding. invalid_argument unless the last convolution
  // has the output width d_model.
  FrontEnd(const WeightScope& scope, const FrontEndConfig& config, int d_model);

  // invalid_argument, in the user's names (inputFeatures, inputValues, pixelValues), for tensors that do not fit.
  // Observable under "front": the output of each convolution, or that of the patches.
  EncodedMedia forward(const MediaTensors& media, Workspace& workspace) const;

  // The smallest input that there is.
  MediaTensors smallest() const;

 private:
  EncodedMedia encode_sound(const MediaTensors& media, Workspace& workspace) const;
  EncodedMedia encode_pictures(const MediaTensors& media, Workspace& workspace) const;
  int least_samples() const;

  FramesConfig frames_;
  std::vector<Convolution> convolutions_;
  std::optional<PatchEmbedding> patches_;
};

}  // namespace transformer

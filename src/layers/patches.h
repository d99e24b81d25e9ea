// Pictures as vectors: their square patches through a linear layer, learned vectors in front, and positions
// (Dosovitskiy et al. 2021, eq. 1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "layers/grid_positions.h"
#include "layers/linear.h"

namespace transformer {

// Learned vectors before the patches, under their name in the weights.
struct PrefixVectors {
  std::string name;
  int count = 1;
};

constexpr auto fields_of(const PrefixVectors*) {
  return std::tuple{Field{"name", &PrefixVectors::name}, Field{"count", &PrefixVectors::count}};
}

// Which pictures: those of one size; any of at least a patch; or any, as patches that the caller cut, with their grids.
enum class PictureSizes { kFixed, kAnySize, kPatches };

constexpr auto enum_names(PictureSizes) {
  return std::to_array<Named<PictureSizes>>(
      {{"fixed", PictureSizes::kFixed}, {"any", PictureSizes::kAnySize}, {"patches", PictureSizes::kPatches}});
}

struct PatchesConfig {
  static constexpr const char* kName = "patches";

  int channels = 3;
  int height = 0;  // of the pictures that the model was trained with
  int width = 0;
  int patch = 0;  // side in pixels
  std::vector<PrefixVectors> prefix;
  bool bias = true;
  GridPositionsConfig positions = {};
  PictureSizes sizes = PictureSizes::kFixed;

  int prefix_count() const;
  int patch_size() const { return channels * patch * patch; }  // numbers of a patch
};

constexpr auto fields_of(const PatchesConfig*) {
  return std::tuple{Field{"channels", &PatchesConfig::channels},   Field{"height", &PatchesConfig::height},
                    Field{"width", &PatchesConfig::width},         Field{"patch", &PatchesConfig::patch},
                    Field{"prefix", &PatchesConfig::prefix},       Field{"bias", &PatchesConfig::bias},
                    Field{"positions", &PatchesConfig::positions}, Field{"sizes", &PatchesConfig::sizes}};
}

// The config itself; invalid_argument for impossible sizes.
const PatchesConfig& checked(const PatchesConfig& config);

// A batch of pictures, one below the other: pixels [batch, channels, height, width], or patches [batch, most,
// channels * patch * patch], of which each picture has as many as its grid has cells, and padding.
struct Pictures {
  const float* data = nullptr;
  int batch = 0;
  int height = 0;  // of pixels
  int width = 0;
  int most = 0;             // of patches; 0: these are pixels
  std::vector<Grid> grids;  // of patches
};

class PatchEmbedding {
 public:
  // scope: patches [d_model, channels * patch * patch], weight and bias; each of the prefix [count, d_model]; positions
  PatchEmbedding(const WeightScope& scope, const PatchesConfig& config, int d_model);

  const PatchesConfig& config() const { return config_; }
  int d_model() const { return linear_.out_features(); }

  Grid grid_of(const Pictures& pictures) const;  // of pixels
  int tokens_of(const Pictures& pictures) const;

  // -> out [batch * tokens_of(pictures), d_model]
  void forward(const Pictures& pictures, View out, Workspace& workspace) const;

 private:
  // The vectors before the patches, with their positions.
  void put_prefix(View rows) const;
  void embed_pixels(const float* picture, const Pictures& sizes, View out, Workspace& workspace) const;
  // Positions of a grid for the rows of its patches, and for those of padding that of the first patch.
  void add_positions(const Grid& grid, ConstView positions, View rows) const;

  PatchesConfig config_;
  Linear linear_;
  std::vector<Tensor> prefix_;
  std::optional<GridPositions> positions_;
};

}  // namespace transformer

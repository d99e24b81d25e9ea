// Pictures in another size, bit by bit as Pillow computes them: each pass weighs the pixels around a point with a
// kernel that is widened where the picture shrinks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/names.h"

namespace transformer {

// The kernels, in Pillow's words and with its numbers.
enum class Resample { kNearest = 0, kLanczos = 1, kBilinear = 2, kBicubic = 3, kBox = 4, kHamming = 5 };

constexpr auto enum_names(Resample) {
  return std::to_array<Named<Resample>>({{"nearest", Resample::kNearest},
                                         {"lanczos", Resample::kLanczos},
                                         {"bilinear", Resample::kBilinear},
                                         {"bicubic", Resample::kBicubic},
                                         {"box", Resample::kBox},
                                         {"hamming", Resample::kHamming}});
}

// Bytes [rows, columns, channels].
struct Image {
  int rows = 0;
  int columns = 0;
  int channels = 0;
  std::vector<std::uint8_t> bytes;

  const std::uint8_t* pixel(int row, int column) const {
    return bytes.data() + (static_cast<std::size_t>(row) * columns + column) * channels;
  }
  std::uint8_t* pixel(int row, int column) {
    return bytes.data() + (static_cast<std::size_t>(row) * columns + column) * channels;
  }
};

// An image of zeros. invalid_argument for a size that is not positive.
Image make_image(int rows, int columns, int channels);

Image resize(const Image& image, int rows, int columns, Resample resample);

}  // namespace transformer

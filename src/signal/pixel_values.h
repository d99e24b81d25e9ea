// Pictures as the numbers that a vision transformer reads.
#pragma once

#include <vector>

#include "base/fields.h"
#include "base/tensor.h"
#include "signal/resize.h"

namespace transformer {

struct ImageSize {
  int rows = 0;
  int columns = 0;
};

constexpr auto fields_of(const ImageSize*) {
  return std::tuple{Field{"rows", &ImageSize::rows}, Field{"columns", &ImageSize::columns}};
}

// The steps in their order; a size of 0 leaves its step out.
struct PixelPlan {
  ImageSize size;
  Resample resample = Resample::kBilinear;
  ImageSize crop;  // around the centre; zeros surround a smaller picture
  float rescale = 1;
  std::vector<float> mean;  // of each channel; then divided by its deviation
  std::vector<float> deviation;
};

constexpr auto fields_of(const PixelPlan*) {
  return std::tuple{Field{"size", &PixelPlan::size}, Field{"resample", &PixelPlan::resample},
                    Field{"crop", &PixelPlan::crop}, Field{"rescale", &PixelPlan::rescale},
                    Field{"mean", &PixelPlan::mean}, Field{"deviation", &PixelPlan::deviation}};
}

// Gray is copied to three channels, and alpha is left out. invalid_argument for other numbers of channels than 1, 3, 4.
Image to_rgb(Image image);

Image crop(const Image& image, ImageSize size);

// -> [3, rows, columns]
Tensor pixel_values(Image image, const PixelPlan& plan);

}  // namespace transformer

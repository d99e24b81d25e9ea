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
  ImageSize size = {};
  Resample resample = Resample::kBilinear;
  ImageSize crop = {};  // around the centre; zeros surround a smaller picture
  float rescale = 1;
  std::vector<float> mean = {};  // of each channel; then divided by its deviation
  std::vector<float> deviation = {};
  bool gray = false;    // first becomes gray, as Pillow's mode L
  bool floats = false;  // is resized after it was rescaled, as floats, with a bilinear or bicubic kernel
  int patch = 0;        // ends as patches of this side; 0: as planes
};

constexpr auto fields_of(const PixelPlan*) {
  return std::tuple{Field{"size", &PixelPlan::size},  Field{"resample", &PixelPlan::resample},
                    Field{"crop", &PixelPlan::crop},  Field{"rescale", &PixelPlan::rescale},
                    Field{"mean", &PixelPlan::mean},  Field{"deviation", &PixelPlan::deviation},
                    Field{"gray", &PixelPlan::gray},  Field{"floats", &PixelPlan::floats},
                    Field{"patch", &PixelPlan::patch}};
}

// Gray is copied to three channels, and alpha is left out. invalid_argument for other numbers of channels than 1, 3, 4.
Image to_rgb(Image image);

// One channel of three or four, weighted as Pillow does; other numbers of channels stay.
Image to_gray(Image image);

Image crop(const Image& image, ImageSize size);

// -> [channels, rows, columns], or [patch rows, patch columns, patch * patch * channels], each patch by rows, columns
// and channels. channels: 1 if gray, else 3
Tensor pixel_values(Image image, const PixelPlan& plan);

}  // namespace transformer

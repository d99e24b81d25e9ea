#include "signal/pixel_values.h"

#include <algorithm>

#include "base/resized_grid.h"

namespace transformer {

namespace {
constexpr int kColours = 3;
}

Image to_rgb(Image image) {
  const int channels = image.channels;
  if (channels == kColours) return image;
  require(channels == 1 || channels == 4, "a picture has 1 channel (gray), 3 (RGB) or 4 (RGBA), got ", channels);
  Image made = make_image(image.rows, image.columns, kColours);
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.columns; ++column) {
      const std::uint8_t* from = image.pixel(row, column);
      for (int colour = 0; colour < kColours; ++colour) {
        made.pixel(row, column)[colour] = from[channels == 1 ? 0 : colour];
      }
    }
  }
  return made;
}

Image crop(const Image& image, ImageSize size) {
  Image made = make_image(size.rows, size.columns, image.channels);
  // Halves are rounded so that a picture of one row more or less than the crop loses or gains the first one.
  const auto offset = [](int whole, int part) {
    return whole >= part ? (whole - part) / 2 : -((part - whole + 1) / 2);
  };
  const int top = offset(image.rows, size.rows), left = offset(image.columns, size.columns);
  const int first = std::max(0, -left), last = std::min(size.columns, image.columns - left);
  for (int row = 0; row < size.rows; ++row) {
    const int from = row + top;
    if (from < 0 || from >= image.rows) continue;
    std::copy_n(image.pixel(from, first + left), (last - first) * image.channels, made.pixel(row, first));
  }
  return made;
}

Image to_gray(Image image) {
  if (image.channels < kColours) return image;
  Image made = make_image(image.rows, image.columns, 1);
  for (std::size_t i = 0; i < made.bytes.size(); ++i) {
    const std::uint8_t* from = image.bytes.data() + i * image.channels;
    // ITU-R BT.601 in units of 2^-16.
    made.bytes[i] = static_cast<std::uint8_t>((19595 * from[0] + 38470 * from[1] + 7471 * from[2] + (1 << 15)) >> 16);
  }
  return made;
}

namespace {

// [channels, rows, columns] in another size
Tensor resize_planes(Tensor planes, ImageSize size, Resample resample) {
  const bool is_cubic = resample == Resample::kBicubic;
  if (!is_cubic && resample != Resample::kBilinear)
    fail(ErrorCode::kUnsupported, "floats are resized by the kernels bilinear and bicubic only");
  const Grid from = {planes.axis(1), planes.axis(2)}, to = {size.rows, size.columns};
  Tensor made({planes.axis(0), to.rows, to.columns});
  for (int channel = 0; channel < planes.axis(0); ++channel) {
    const ConstView plane = {planes.data() + std::ptrdiff_t{channel} * from.cells(), from.cells(), 1, 1};
    const Tensor resized = resized_grid(plane, from, to, {is_cubic ? -0.5 : 0.0, true});
    std::copy_n(resized.data(), to.cells(), made.data() + std::ptrdiff_t{channel} * to.cells());
  }
  return made;
}

// [channels, rows, columns] -> [rows / patch, columns / patch, patch * patch * channels]
Tensor flat_patches(const Tensor& planes, int patch) {
  const int channels = planes.axis(0), rows = planes.axis(1), columns = planes.axis(2);
  Tensor patches({rows / patch, columns / patch, patch * patch * channels});
  float* to = patches.data();
  for (int top = 0; top + patch <= rows; top += patch) {
    for (int left = 0; left + patch <= columns; left += patch) {
      for (int pixel = 0; pixel < patch * patch; ++pixel) {
        const int y = top + pixel / patch, x = left + pixel % patch;
        for (int channel = 0; channel < channels; ++channel)
          *to++ = planes.data()[(std::ptrdiff_t{channel} * rows + y) * columns + x];
      }
    }
  }
  return patches;
}

// [channels, rows, columns] of bytes, times a factor
Tensor planes_of(const Image& image, float factor, int channels) {
  Tensor planes({channels, image.rows, image.columns});
  const std::size_t size = planes.size() / channels;
  for (int channel = 0; channel < channels; ++channel) {
    for (std::size_t i = 0; i < size; ++i)
      planes.data()[channel * size + i] = static_cast<float>(image.bytes[i * image.channels + channel]) * factor;
  }
  return planes;
}

}  // namespace

Tensor pixel_values(Image image, const PixelPlan& plan) {
  const auto check = [](const std::vector<float>& numbers, const char* name) {
    require(numbers.empty() || numbers.size() == kColours, name, " needs a number for each of 3 colours, got ",
            numbers.size());
  };
  check(plan.mean, "the mean");
  check(plan.deviation, "the deviation");
  require(plan.patch >= 0, "the side of a patch must not be negative, got ", plan.patch);
  image = to_rgb(plan.gray ? to_gray(std::move(image)) : std::move(image));
  const bool resizes = plan.size.rows > 0;
  if (resizes && !plan.floats) image = resize(image, plan.size.rows, plan.size.columns, plan.resample);
  if (plan.crop.rows > 0 && plan.floats) fail(ErrorCode::kUnsupported, "a picture resized as floats cannot be cropped");
  if (plan.crop.rows > 0) image = crop(image, plan.crop);
  const int channels = plan.gray ? 1 : kColours;
  Tensor values = planes_of(image, plan.rescale, channels);
  if (resizes && plan.floats) values = resize_planes(std::move(values), plan.size, plan.resample);
  const std::size_t size = values.size() / channels;
  for (int channel = 0; channel < channels; ++channel) {
    const float mean = plan.mean.empty() ? 0 : plan.mean[channel];
    const float deviation = plan.deviation.empty() ? 1 : plan.deviation[channel];
    for (std::size_t i = channel * size; i < (channel + 1) * size; ++i)
      values.data()[i] = (values.data()[i] - mean) / deviation;
  }
  return plan.patch > 0 ? flat_patches(values, plan.patch) : std::move(values);
}

}  // namespace transformer

#include "signal/pixel_values.h"

#include <algorithm>

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

Tensor pixel_values(Image image, const PixelPlan& plan) {
  image = to_rgb(std::move(image));
  if (plan.size.rows > 0) image = resize(image, plan.size.rows, plan.size.columns, plan.resample);
  if (plan.crop.rows > 0) image = crop(image, plan.crop);
  const auto check = [](const std::vector<float>& numbers, const char* name) {
    require(numbers.empty() || numbers.size() == kColours, name, " needs a number for each of 3 colours, got ",
            numbers.size());
  };
  check(plan.mean, "the mean");
  check(plan.deviation, "the deviation");
  Tensor values({kColours, image.rows, image.columns});
  const std::size_t size = values.size() / kColours;
  for (int colour = 0; colour < kColours; ++colour) {
    const float mean = plan.mean.empty() ? 0 : plan.mean[colour];
    const float deviation = plan.deviation.empty() ? 1 : plan.deviation[colour];
    for (std::size_t i = 0; i < size; ++i) {
      const float value = static_cast<float>(image.bytes[i * kColours + colour]) * plan.rescale;
      values.data()[colour * size + i] = (value - mean) / deviation;
    }
  }
  return values;
}

}  // namespace transformer

#include "signal/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace transformer {

namespace {

struct Kernel {
  double support;  // it is 0 beyond this distance
  double (*weight)(double x);
};

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

double box(double x) { return x > -0.5 && x <= 0.5 ? 1 : 0; }

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

double hamming(double x) {
  x = std::abs(x);
  return x >= 1 ? 0 : sinc(x) * (0.54 + 0.46 * std::cos(std::numbers::pi * x));
}

double cubic(double x) {  // Keys 1981, with a = -1/2
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

double lanczos(double x) { return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0; }

Kernel kernel_of(Resample resample) {
  switch (resample) {
    case Resample::kLanczos: return {3, lanczos};
    case Resample::kBicubic: return {2, cubic};
    case Resample::kBox: return {0.5, box};
    case Resample::kHamming: return {1, hamming};
    default: return {1, triangle};
  }
}

constexpr int kFractionBits = 22;

// The old pixels that a new one is made of, and their weights in fixed point.
struct Reach {
  int first;
  std::vector<int> weights;
};

Reach reach_of(int place, int old_size, double scale, const Kernel& kernel) {
  const double widened = std::max(scale, 1.0);
  const double centre = (place + 0.5) * scale, support = kernel.support * widened;
  const int first = std::max(0, static_cast<int>(centre - support + 0.5));
  const int last = std::min(old_size, static_cast<int>(centre + support + 0.5));
  std::vector<double> weights;
  double sum = 0;
  for (int i = first; i < last; ++i) {
    weights.push_back(kernel.weight((i - centre + 0.5) * (1 / widened)));
    sum += weights.back();
  }
  Reach reach = {first, {}};
  for (double weight : weights) {
    const double fixed = (sum != 0 ? weight / sum : weight) * (1 << kFractionBits);
    reach.weights.push_back(static_cast<int>(fixed < 0 ? fixed - 0.5 : fixed + 0.5));
  }
  return reach;
}

std::vector<Reach> reaches(int old_size, int new_size, const Kernel& kernel) {
  std::vector<Reach> list;
  const double scale = static_cast<double>(old_size) / new_size;
  for (int i = 0; i < new_size; ++i) list.push_back(reach_of(i, old_size, scale, kernel));
  return list;
}

// `step`: bytes from one of the pixels to the next.
std::uint8_t weighted(const std::uint8_t* pixels, std::ptrdiff_t step, const std::vector<int>& weights) {
  int sum = 1 << (kFractionBits - 1);  // one half, to round
  for (std::size_t i = 0; i < weights.size(); ++i) sum += pixels[static_cast<std::ptrdiff_t>(i) * step] * weights[i];
  return static_cast<std::uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

Image resize_columns(const Image& image, int columns, const Kernel& kernel) {
  Image made = make_image(image.rows, columns, image.channels);
  const std::vector<Reach> list = reaches(image.columns, columns, kernel);
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const auto& [first, weights] = list[column];
      for (int channel = 0; channel < image.channels; ++channel) {
        made.pixel(row, column)[channel] = weighted(image.pixel(row, first) + channel, image.channels, weights);
      }
    }
  }
  return made;
}

Image resize_rows(const Image& image, int rows, const Kernel& kernel) {
  Image made = make_image(rows, image.columns, image.channels);
  const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(image.columns) * image.channels;
  const std::vector<Reach> list = reaches(image.rows, rows, kernel);
  for (int row = 0; row < rows; ++row) {
    const auto& [first, weights] = list[row];
    for (std::ptrdiff_t i = 0; i < width; ++i)
      made.pixel(row, 0)[i] = weighted(image.pixel(first, 0) + i, width, weights);
  }
  return made;
}

Image take_nearest(const Image& image, int rows, int columns) {
  Image made = make_image(rows, columns, image.channels);
  const double row_scale = static_cast<double>(image.rows) / rows;
  const double column_scale = static_cast<double>(image.columns) / columns;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int from_row = static_cast<int>((row + 0.5) * row_scale);
      const int from_column = static_cast<int>((column + 0.5) * column_scale);
      std::copy_n(image.pixel(from_row, from_column), image.channels, made.pixel(row, column));
    }
  }
  return made;
}

}  // namespace

Image make_image(int rows, int columns, int channels) {
  require(rows > 0 && columns > 0 && channels > 0, "a picture needs at least one pixel, got ", rows, " rows of ",
          columns, " columns with ", channels, " channels");
  const double size = 1.0 * rows * columns * channels;
  require(size <= (1 << 30), "a picture of ", rows, " rows and ", columns, " columns is too large");
  return {rows, columns, channels, std::vector<std::uint8_t>(static_cast<std::size_t>(size))};
}

Image resize(const Image& image, int rows, int columns, Resample resample) {
  if (resample == Resample::kNearest) return take_nearest(image, rows, columns);
  const Kernel kernel = kernel_of(resample);
  Image made = columns == image.columns ? image : resize_columns(image, columns, kernel);
  return rows == image.rows ? made : resize_rows(made, rows, kernel);
}

}  // namespace transformer

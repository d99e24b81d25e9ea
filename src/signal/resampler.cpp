#include "signal/resampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace transformer {

namespace {

// 48 zero crossings and beta 10 leave 0.00001 of what would alias; the pass band ends at 94% of half the lower rate.
constexpr int kCrossings = 48;
constexpr double kBeta = 10;
constexpr double kPassBand = 0.94;
// Interpolating linearly between the points of the table adds an error below 1e-6.
constexpr int kSteps = 1024;

// The modified Bessel function of order zero.
double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

}  // namespace

Resampler::Resampler(double from, double to) : ratio_(from / to) {
  for (double rate : {from, to}) {
    require(rate >= 1000 && rate <= 768000, "a sample rate must be between 1000 and 768000 Hz, got ", rate);
  }
  scale_ = kPassBand * std::min(1.0, to / from);
  reach_ = static_cast<int>(std::ceil(kCrossings / scale_));
  for (int i = 0; i <= kCrossings * kSteps + 1; ++i) {
    const double x = static_cast<double>(i) / kSteps;
    const double inside = std::max(0.0, 1 - (x / kCrossings) * (x / kCrossings));
    const double sinc = i == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
    kernel_.push_back(sinc * bessel(kBeta * std::sqrt(inside)) / bessel(kBeta));
  }
}

std::int64_t Resampler::length(std::int64_t length) const {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(length) / ratio_));
}

void Resampler::forward(const AudioSlice& slice, std::int64_t first, std::span<float> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double centre = static_cast<double>(first + static_cast<std::int64_t>(i)) * ratio_;
    const auto begin = static_cast<std::int64_t>(std::ceil(centre - kCrossings / scale_));
    const auto end = static_cast<std::int64_t>(std::floor(centre + kCrossings / scale_));
    double sum = 0;
    for (std::int64_t place = begin; place <= end; ++place) {
      const double x = std::abs(static_cast<double>(place) - centre) * scale_ * kSteps;
      const auto step = static_cast<std::size_t>(x);
      const double rest = x - static_cast<double>(step);
      sum += slice.at(place) * (kernel_[step] + rest * (kernel_[step + 1] - kernel_[step]));
    }
    out[i] = static_cast<float>(sum * scale_);
  }
}

}  // namespace transformer

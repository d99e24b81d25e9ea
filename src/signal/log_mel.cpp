#include "signal/log_mel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace transformer {

namespace {

// Slaney's mel scale (1998): linear up to 1000 Hz, logarithmic above.
constexpr double kLinearHz = 1000, kLinearMel = 15, kHzPerMel = 200.0 / 3;
const double kLogStep = std::log(6.4) / 27;

double mel_of(double hz) { return hz < kLinearHz ? hz / kHzPerMel : kLinearMel + std::log(hz / kLinearHz) / kLogStep; }

double hz_of(double mel) {
  return mel < kLinearMel ? mel * kHzPerMel : kLinearHz * std::exp(kLogStep * (mel - kLinearMel));
}

// bands + 2 frequencies, equally spaced in mel from 0 to half the sample rate.
std::vector<double> corners_of(const LogMelConfig& config) {
  std::vector<double> corners;
  const double highest = mel_of(config.sample_rate / 2.0);
  for (int i = 0; i < config.bands + 2; ++i) corners.push_back(hz_of(highest * i / (config.bands + 1)));
  return corners;
}

// Beyond the ends, a recording is mirrored without repeating its last sample.
std::int64_t mirrored(std::int64_t place, std::int64_t length) {
  if (length == 1) return 0;
  const std::int64_t period = 2 * (length - 1);
  const std::int64_t inside = ((place % period) + period) % period;
  return std::min(inside, period - inside);
}

}  // namespace

LogMel::LogMel(const LogMelConfig& config) : config_(config), fourier_(config.window) {
  constexpr int kMaxBands = 1 << 16;
  require(config.bands > 0 && config.bands <= kMaxBands && config.hop > 0 && config.sample_rate > 0,
          "bands, hop and sample rate must be positive, and bands at most 65536, got ", config.bands, ", ", config.hop,
          " and ", config.sample_rate);
  for (int t = 0; t < config.window; ++t) {
    hann_.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * t / config.window));
  }
  const std::vector<double> corners = corners_of(config);
  const double hz_per_bin = static_cast<double>(config.sample_rate) / config.window;
  for (int band = 0; band < config.bands; ++band) {
    const double low = corners[band], peak = corners[band + 1], high = corners[band + 2];
    Band made = {static_cast<int>(std::ceil(low / hz_per_bin)), {}};
    for (int bin = made.first_bin; bin < fourier_.bins() && bin * hz_per_bin <= high; ++bin) {
      const double hz = bin * hz_per_bin;
      const double triangle = std::min((hz - low) / (peak - low), (high - hz) / (high - peak));
      // Every band has the same area.
      made.weights.push_back(std::max(0.0, triangle) * 2 / (high - low));
    }
    bands_.push_back(std::move(made));
  }
  windowed_.resize(config.window);
  power_.resize(fourier_.bins());
}

void LogMel::forward(const AudioSlice& slice, std::int64_t length, std::int64_t first_frame, View out) {
  require(out.cols == config_.bands, "the features need ", config_.bands, " columns, got ", out.cols);
  for (std::size_t i = 0; i < slice.samples.size(); ++i) {
    require(std::isfinite(slice.samples[i]), "sample ", slice.begin + static_cast<std::int64_t>(i),
            " of the audio is not a finite number");
  }
  for (int frame = 0; frame < out.rows; ++frame) {
    const std::int64_t first = (first_frame + frame) * config_.hop - config_.window / 2;
    for (int t = 0; t < config_.window; ++t) windowed_[t] = hann_[t] * slice.at(mirrored(first + t, length));
    fourier_.power(windowed_, power_);
    float* features = out.row(frame);
    for (int band = 0; band < config_.bands; ++band) {
      const auto& [first_bin, weights] = bands_[band];
      double sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * power_[first_bin + i];
      features[band] = static_cast<float>(std::log10(std::max(sum, 1e-10)));
    }
  }
}

void clamp_log_mel(float maximum, std::span<float> features) {
  const float floor = maximum - 8;
  for (float& feature : features) feature = (std::max(feature, floor) + 4) / 4;
}

}  // namespace transformer

#include "positions/rotary.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/broadcast.h"

namespace transformer {

namespace {

// Positions with stored sines and cosines: 8 MB with 64 pairs. A table of the 131,072 positions of some models would
// take half a second to compute.
constexpr int kTablePositions = 16384;

void fill_angles(std::span<const double> frequencies, int position, float* cosines, float* sines) {
  for (int pair = 0; pair < count_of(frequencies); ++pair) {
    cosines[pair] = static_cast<float>(std::cos(position * frequencies[pair]));
    sines[pair] = static_cast<float>(std::sin(position * frequencies[pair]));
  }
}

}  // namespace

Rotary::Rotary(int d_head, const RotaryPositions& config)
    : config_(config), d_head_(d_head), frequencies_(config.frequencies) {
  require(d_head > 0 && d_head % 2 == 0, "rotary positions need an even head width, got ", d_head);
  require(count_of(frequencies_) <= d_head / 2,
          "rotary positions need at most half as many frequencies as the head "
          "width (",
          d_head, "), got ", frequencies_.size());
  if (frequencies_.empty()) frequencies_ = frequencies_for(0);
  const int rows = std::min(config.max_length, kTablePositions), pairs = count_of(frequencies_);
  cosines_ = Tensor({rows, pairs});
  sines_ = Tensor({rows, pairs});
  for (int row = 0; row < rows; ++row) {
    fill_angles(frequencies_, row, cosines_.matrix().row(row), sines_.matrix().row(row));
  }
}

std::vector<double> Rotary::frequencies_for(int length) const {
  double base = config_.base;
  if (config_.dynamic_length > 0 && length > config_.dynamic_length) {
    const double stretch = config_.dynamic_factor * length / config_.dynamic_length - (config_.dynamic_factor - 1.0);
    base *= std::pow(stretch, d_head_ / (d_head_ - 2.0));
  }
  std::vector<double> frequencies;
  for (int pair = 0; pair < d_head_ / 2; ++pair) frequencies.push_back(std::pow(base, -2.0 * pair / d_head_));
  return frequencies;
}

void Rotary::rotate(View x, int first) const {
  require(first >= 0, "positions must not be negative, got ", first);
  const int length = first + x.rows;
  require_positions(length, max_length());
  const bool is_dynamic = config_.dynamic_length > 0 && length > config_.dynamic_length;
  const std::vector<double> frequencies = is_dynamic ? frequencies_for(length) : frequencies_;
  std::vector<float> cosines(frequencies.size()), sines(frequencies.size());
  for (int row = 0; row < x.rows; ++row) {
    const int position = first + row;
    if (!is_dynamic && position < cosines_.axis(0)) {
      rotate_row(x.row(row), x.cols, cosines_.matrix().row(position), sines_.matrix().row(position));
    } else {
      fill_angles(frequencies, position, cosines.data(), sines.data());
      rotate_row(x.row(row), x.cols, cosines.data(), sines.data());
    }
  }
}

void Rotary::rotate_row(float* x, int cols, const float* cosines, const float* sines) const {
  const int pairs = count_of(frequencies_);
  const int step = config_.layout == RotaryLayout::kInterleaved ? 2 : 1;
  const int partner = config_.layout == RotaryLayout::kInterleaved ? 1 : pairs;
  for (float* head = x; head < x + cols; head += d_head_) {
    for (int pair = 0; pair < pairs; ++pair) {
      float& a = head[pair * step];
      float& b = head[pair * step + partner];
      const float rotated_a = a * cosines[pair] - b * sines[pair];
      b = a * sines[pair] + b * cosines[pair];
      a = rotated_a;
    }
  }
}

Tensor rotated(Tensor x, int offset, RotaryPositions config) {
  const Shape leading = leading_axes(x, 2, "x", "[..., time, d_head]");
  config.max_length = offset + last_axis(x, 2);
  const Rotary rotary(last_axis(x), config);
  const int count = static_cast<int>(element_count(leading));
  for (int i = 0; i < count; ++i) rotary.rotate(matrix_at(x, i), offset);
  return x;
}

}  // namespace transformer

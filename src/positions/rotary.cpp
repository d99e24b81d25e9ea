#include "positions/rotary.h"

#include <cmath>

#include "base/broadcast.h"

namespace transformer {

Rotary::Rotary(int d_head, const RotaryPositions& config)
    : layout_(config.layout),
      d_head_(d_head),
      cosines_({config.max_length, d_head / 2}),
      sines_({config.max_length, d_head / 2}) {
  require(d_head > 0 && d_head % 2 == 0, "rotary positions need an even head width, got ", d_head);
  for (int pair = 0; pair < d_head / 2; ++pair) {
    const double frequency = std::pow(config.base, -2.0 * pair / d_head);
    for (int position = 0; position < config.max_length; ++position) {
      cosines_.matrix().row(position)[pair] = static_cast<float>(std::cos(position * frequency));
      sines_.matrix().row(position)[pair] = static_cast<float>(std::sin(position * frequency));
    }
  }
}

void Rotary::rotate(View x, int first) const {
  require(first >= 0, "positions must not be negative, got ", first);
  require_positions(first + x.rows, max_length());
  const int half = d_head_ / 2;
  const int step = layout_ == RotaryLayout::kInterleaved ? 2 : 1;
  const int partner = layout_ == RotaryLayout::kInterleaved ? 1 : half;
  for (int row = 0; row < x.rows; ++row) {
    const float* cosine = cosines_.matrix().row(first + row);
    const float* sine = sines_.matrix().row(first + row);
    for (float* head = x.row(row); head < x.row(row) + x.cols; head += d_head_) {
      for (int pair = 0; pair < half; ++pair) {
        float& a = head[pair * step];
        float& b = head[pair * step + partner];
        const float rotated_a = a * cosine[pair] - b * sine[pair];
        b = a * sine[pair] + b * cosine[pair];
        a = rotated_a;
      }
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

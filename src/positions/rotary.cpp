#include "positions/rotary.h"

#include <cmath>

#include "base/broadcast.h"

namespace transformer {

namespace {

// Rows of the positions first, first + 1, ...: the cosines of all pairs, then their sines. In double precision.
void fill_angles(double base, double first, View table) {
  const int pairs = table.cols / 2;
  for (int pair = 0; pair < pairs; ++pair) {
    const double frequency = std::pow(base, -1.0 * pair / pairs);
    for (int row = 0; row < table.rows; ++row) {
      const double angle = (first + row) * frequency;
      table.row(row)[pair] = static_cast<float>(std::cos(angle));
      table.row(row)[pairs + pair] = static_cast<float>(std::sin(angle));
    }
  }
}

// Rotates each row of x [time, heads * d_head] by the angles of the same row.
void rotate_rows(View x, ConstView angles, RotaryLayout layout) {
  const int half = angles.cols / 2;
  const int step = layout == RotaryLayout::kInterleaved ? 2 : 1;
  const int partner = layout == RotaryLayout::kInterleaved ? 1 : half;
  for (int row = 0; row < x.rows; ++row) {
    const float* cosine = angles.row(row);
    const float* sine = cosine + half;
    for (float* head = x.row(row); head < x.row(row) + x.cols; head += angles.cols) {
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

int checked_width(int d_head) {
  require(d_head > 0 && d_head % 2 == 0, "rotary positions need an even head width, got ", d_head);
  return d_head;
}

}  // namespace

Rotary::Rotary(int d_head, const RotaryPositions& config)
    : layout_(config.layout),
      angles_(config.max_length, checked_width(d_head),
              [base = config.base](int first, View rows) { fill_angles(base, first, rows); }) {}

void Rotary::rotate(View x, int first) const {
  require(first >= 0, "positions begin at 0, got ", first);
  rotate_rows(x, angles_.up_to(first + x.rows).row_range(first, x.rows), layout_);
}

Tensor rotated(Tensor x, int offset, const RotaryPositions& config) {
  const Shape leading = leading_axes(x, 2, "x", "[..., time, d_head]");
  Tensor angles({last_axis(x, 2), checked_width(last_axis(x))});
  fill_angles(config.base, offset, angles.matrix());
  const int count = static_cast<int>(element_count(leading));
  for (int i = 0; i < count; ++i) rotate_rows(matrix_at(x, i), angles.matrix(), config.layout);
  return x;
}

}  // namespace transformer

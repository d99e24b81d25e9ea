#include "positions/rotary.h"

#include <cmath>

#include "base/broadcast.h"
#include "base/power.h"

namespace transformer {

namespace {

using Frequencies = std::vector<double>;

// base^(-2i/d_head), in radians per position.
Frequencies powers_of(double base, int d_head) {
  Frequencies frequencies;
  for (int pair = 0; pair < d_head / 2; ++pair) frequencies.push_back(power(base, -2.0 * pair / d_head));
  return frequencies;
}

// Rows of the positions first, first + 1, ...: the cosines of all pairs, then their sines, times the scale. In double
// precision.
void fill_angles(const Frequencies& frequencies, double scale, double first, View table) {
  const int pairs = table.cols / 2;
  for (int pair = 0; pair < pairs; ++pair) {
    for (int row = 0; row < table.rows; ++row) {
      const double angle = (first + row) * frequencies[static_cast<std::size_t>(pair)];
      table.row(row)[pair] = static_cast<float>(scale * std::cos(angle));
      table.row(row)[pairs + pair] = static_cast<float>(scale * std::sin(angle));
    }
  }
}

// Rotates the first numbers of each head, as many as there are angles, in each row of x [time, heads * d_head].
void rotate_rows(View x, int d_head, ConstView angles, RotaryLayout layout) {
  const int half = angles.cols / 2;
  const int step = layout == RotaryLayout::kInterleaved ? 2 : 1;
  const int partner = layout == RotaryLayout::kInterleaved ? 1 : half;
  for (int row = 0; row < x.rows; ++row) {
    const float* cosine = angles.row(row);
    const float* sine = cosine + half;
    for (float* head = x.row(row); head < x.row(row) + x.cols; head += d_head) {
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

const Frequencies& checked(int d_head, const Frequencies& frequencies) {
  require(count_of(frequencies) <= checked_width(d_head) / 2,
          "rotary positions need at most half as many frequencies as the head width (", d_head, "), got ",
          frequencies.size());
  return frequencies;
}

Frequencies frequencies_of(int d_head, const RotaryPositions& config) {
  if (config.axial) {
    require(d_head % 4 == 0, "axial rotary positions need a head width that is a multiple of 4, got ", d_head);
    return frequencies_of(d_head / 2, {.base = config.base, .frequencies = config.frequencies});
  }
  if (config.frequencies.empty()) return powers_of(config.base, checked_width(d_head));
  return checked(d_head, config.frequencies);
}

PositionTable angles_of(const Frequencies& frequencies, const RotaryPositions& config) {
  return {config.max_length, 2 * count_of(frequencies),
          [frequencies, scale = config.scale](int first, View rows) { fill_angles(frequencies, scale, first, rows); }};
}

// The centre of cell `place` of `count`, between -1 and 1.
double centre_of(int place, int count) { return (2.0 * place + 1.0) / count - 1.0; }

}  // namespace

Rotary::Rotary(int d_head, const RotaryPositions& config)
    : config_(config),
      d_head_(d_head),
      angles_(angles_of(frequencies_of(d_head, config), config)),
      long_angles_(angles_of(checked(d_head, config.long_frequencies), config)) {}

ConstView Rotary::grid_angles(int time, int columns) const {
  const int prefix = config_.prefix, cells = time - prefix;
  require(columns > 0 && cells > 0 && cells % columns == 0, "axial rotary positions need ", prefix,
          " tokens and then a grid, got ", time, " tokens in rows of ", columns);
  if (!grid_.empty() && grid_.axis(0) == time && grid_columns_ == columns) return grid_.matrix();
  const Frequencies frequencies = frequencies_of(d_head_, config_);
  const int pairs = 2 * count_of(frequencies);
  Tensor angles({time, 2 * pairs});
  for (int token = 0; token < time; ++token) {
    const int cell = token - prefix;
    for (int pair = 0; pair < pairs; ++pair) {
      const bool is_row = pair < pairs / 2;
      const double place = is_row ? centre_of(cell / columns, cells / columns) : centre_of(cell % columns, columns);
      const double angle = cell < 0 ? 0.0 : place * frequencies[static_cast<std::size_t>(pair % (pairs / 2))];
      angles.matrix().row(token)[pair] = static_cast<float>(std::cos(angle));
      angles.matrix().row(token)[pairs + pair] = static_cast<float>(std::sin(angle));
    }
  }
  grid_ = std::move(angles);
  grid_columns_ = columns;
  return grid_.matrix();
}

void Rotary::rotate(View x, int first, int columns) const {
  require(first >= 0, "positions begin at 0, got ", first);
  if (config_.axial) {
    require(first == 0, "axial rotary positions are for whole pictures");
    rotate_rows(x, d_head_, grid_angles(x.rows, columns), config_.layout);
    return;
  }
  const int length = first + x.rows;
  const bool is_long = config_.dynamic_length > 0 && length > config_.dynamic_length;
  if (!is_long || !config_.long_frequencies.empty()) {
    const PositionTable& angles = is_long ? long_angles_ : angles_;
    rotate_rows(x, d_head_, angles.up_to(length).row_range(first, x.rows), config_.layout);
    return;
  }
  require_positions(length, max_length());
  const double stretch = config_.dynamic_factor * length / config_.dynamic_length - (config_.dynamic_factor - 1.0);
  const double base = config_.base * power(stretch, d_head_ / (d_head_ - 2.0));
  Tensor angles({x.rows, d_head_});
  fill_angles(powers_of(base, d_head_), config_.scale, first, angles.matrix());
  rotate_rows(x, d_head_, angles.matrix(), config_.layout);
}

Tensor rotated(Tensor x, int offset, const RotaryPositions& config) {
  const Shape leading = leading_axes(x, 2, "x", "[..., time, d_head]");
  const int d_head = last_axis(x);
  const Frequencies frequencies = frequencies_of(d_head, config);
  Tensor angles({last_axis(x, 2), 2 * count_of(frequencies)});
  fill_angles(frequencies, config.scale, offset, angles.matrix());
  const int count = static_cast<int>(element_count(leading));
  for (int i = 0; i < count; ++i) rotate_rows(matrix_at(x, i), d_head, angles.matrix(), config.layout);
  return x;
}

}  // namespace transformer

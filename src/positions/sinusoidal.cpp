#include "positions/sinusoidal.h"

#include <algorithm>
#include <cmath>

#include "base/power.h"
#include "kernels/elementwise.h"

namespace transformer {

namespace {

// The rows of the positions first, first + 1, ... after the config's offset.
void fill_sinusoids(const SinusoidalPositions& config, int first, View table) {
  const int d_model = table.cols;
  if (table.rows == 0) return;  // and d_model may be as large as it likes
  std::fill_n(table.data, static_cast<std::size_t>(table.rows) * d_model, 0.0f);
  const bool fairseq = config.layout == SinusoidLayout::kFairseq;
  const bool interleaved = config.layout == SinusoidLayout::kInterleaved;
  const int sines = fairseq ? d_model / 2 : ceil_div(d_model, 2);
  const int cosines = d_model / 2;
  const double step = fairseq ? 1.0 / std::max(sines - 1, 1) : 2.0 / d_model;
  for (int pair = 0; pair < sines; ++pair) {
    const double frequency = power(config.base, -step * pair);
    const int sine_col = interleaved ? 2 * pair : pair;
    const int cosine_col = interleaved ? 2 * pair + 1 : sines + pair;
    for (int row = 0; row < table.rows; ++row) {
      const double angle = (static_cast<double>(first) + row + config.offset) * frequency;
      float* out = table.row(row);
      out[sine_col] = static_cast<float>(std::sin(angle));
      if (pair < cosines) out[cosine_col] = static_cast<float>(std::cos(angle));
    }
  }
}

}  // namespace

Tensor sinusoidal_positions(int d_model, const SinusoidalPositions& config) {
  const int length = config.max_length;
  require(length >= 0 && d_model > 0,
          "a positional encoding needs a length of at least 0 and a width of at least 1, got ", length, " and ",
          d_model);
  Tensor table({length, d_model});
  fill_sinusoids(config, 0, table.matrix());
  return table;
}

Sinusoidal::Sinusoidal(int d_model, const SinusoidalPositions& config)
    : table_(config.max_length, d_model, [config](int first, View rows) { fill_sinusoids(config, first, rows); }) {}

void Sinusoidal::add_to_input(View x, int first) const {
  const ConstView table = table_.up_to(first + x.rows);
  for (int row = 0; row < x.rows; ++row) add_row(table.row(first + row), x.row(row), x.cols);
}

}  // namespace transformer

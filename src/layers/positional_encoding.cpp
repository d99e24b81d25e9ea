#include "layers/positional_encoding.h"

#include <algorithm>
#include <cmath>

#include "kernels/elementwise.h"

namespace transformer {

Tensor sinusoidal_positions(int length, int d_model, double base, int offset, SinusoidLayout layout) {
  require(length >= 0 && d_model > 0, "positions need a length of at least 0 and a width of at least 1, got ", length,
          " and ", d_model);
  Tensor table = Tensor::zeros({length, d_model});
  const bool fairseq = layout == SinusoidLayout::kFairseq;
  const int sines = fairseq ? d_model / 2 : (d_model + 1) / 2;
  const int cosines = d_model / 2;
  const double step = fairseq ? 1.0 / std::max(sines - 1, 1) : 2.0 / d_model;
  for (int pair = 0; pair < sines; ++pair) {
    const double frequency = std::pow(base, -step * pair);
    const int sine_col = layout == SinusoidLayout::kInterleaved ? 2 * pair : pair;
    const int cosine_col = layout == SinusoidLayout::kInterleaved ? 2 * pair + 1 : sines + pair;
    for (int row = 0; row < length; ++row) {
      const double angle = (static_cast<double>(row) + offset) * frequency;
      float* out = table.matrix().row(row);
      out[sine_col] = static_cast<float>(std::sin(angle));
      if (pair < cosines) out[cosine_col] = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

PositionalEncoding PositionalEncoding::sinusoidal(int max_length, int d_model, int offset, SinusoidLayout layout) {
  return PositionalEncoding(sinusoidal_positions(max_length, d_model, 10000.0, offset, layout));
}

PositionalEncoding PositionalEncoding::learned(const WeightScope& scope, int max_length, int d_model) {
  return PositionalEncoding(scope.take("weight", {max_length, d_model}));
}

void PositionalEncoding::add(View x, int first) const {
  require(first + x.rows <= max_length(), "the sequence is ", first + x.rows, " tokens long, but the model has only ",
          max_length(), " positions");
  for (int row = 0; row < x.rows; ++row) {
    add_row(table_.matrix().row(first + row), x.row(row), x.cols);
  }
}

}  // namespace transformer

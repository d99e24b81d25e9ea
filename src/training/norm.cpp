#include "kernels/norm.h"

#include <cmath>

#include "kernels/elementwise.h"
#include "training/operations.h"

namespace transformer::training {

namespace {

// What a row was normalised with: y = (x - mean) * scale * weight + bias. An RMS norm subtracts nothing.
Standard standard_of(const float* x, int count, const NormConfig& config) {
  const float n = static_cast<float>(count);
  const float mean = config.kind == NormKind::kLayer ? sum_of_row(x, count) / n : 0.0f;
  return {mean, 1.0f / std::sqrt(squared_distances(x, count, mean) / n + config.eps)};
}

}  // namespace

// With z = (x - mean) * scale and g = dy * weight, dx = (g - mean(g) - z mean(g z)) * scale; without mean(g) for an RMS
// norm. Here mean() is that of a row.
Value norm(Tape& tape, Value x, const NormConfig& config, Parameter& weight, Parameter* bias) {
  const Value w = weight.as_value();
  const Value b = bias ? bias->as_value() : Value{};
  const int width = x.x.cols;
  const Value y = tape.make(x.x.rows, width);
  if (config.kind == NormKind::kLayer) {
    layer_norm(x.x, w.x.data, b.x.data, config.eps, y.x);
  } else {
    rms_norm(x.x, w.x.data, config.eps, y.x);
  }
  tape.on_way_back([=, &arena = tape.arena()] {
    const Arena::Scope scope(arena);
    float* z = arena.take(static_cast<std::size_t>(width));
    float* g = arena.take(static_cast<std::size_t>(width));
    for (int row = 0; row < x.x.rows; ++row) {
      const float* in = x.x.row(row);
      const float* dy = y.gradient.row(row);
      const Standard standard = standard_of(in, width, config);
      normalize_row(in, z, width, standard, {nullptr, nullptr});
      if (b.gradient.data) add_row(dy, b.gradient.data, width);
      for (int i = 0; i < width; ++i) {
        w.gradient.data[i] += dy[i] * z[i];
        g[i] = dy[i] * w.x.data[i];
      }
      const float n = static_cast<float>(width);
      const float mean = config.kind == NormKind::kLayer ? sum_of_row(g, width) / n : 0.0f;
      const float along = dot(g, z, width) / n;
      float* dx = x.gradient.row(row);
      for (int i = 0; i < width; ++i) dx[i] += (g[i] - mean - z[i] * along) * standard.scale;
    }
  });
  return y;
}

}  // namespace transformer::training

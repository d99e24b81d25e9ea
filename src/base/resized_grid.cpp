#include "base/resized_grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace transformer {

namespace {

// The share of an old point in a new one.
struct Term {
  int from;
  double weight;
};

double weight_at(double distance, double a) {
  const double x = std::abs(distance);
  if (a == 0) return std::max(0.0, 1 - x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

std::vector<Term> terms_of(int place, int size, double scale, const GridKernel& kernel) {
  const double support = kernel.cubic == 0 ? 1 : 2;
  const double widened = kernel.antialias ? std::max(scale, 1.0) : 1;
  const double centre = (place + 0.5) * scale;
  const int last = static_cast<int>(std::ceil(centre + support * widened));
  std::vector<Term> terms;
  double sum = 0;
  for (int i = static_cast<int>(std::floor(centre - support * widened)); i < last; ++i) {
    const double weight = weight_at((i + 0.5 - centre) / widened, kernel.cubic);
    if (weight == 0 || (kernel.antialias && (i < 0 || i >= size))) continue;
    terms.push_back({std::clamp(i, 0, size - 1), weight});
    sum += weight;
  }
  for (Term& term : terms) term.weight /= sum;
  return terms;
}

// Numbers [count, size, width].
struct Axis {
  int count;
  int size;
  std::ptrdiff_t width;
};

// -> [count, new_size, width], in double precision, since the other axis follows
template <class T>
std::vector<double> resized_axis(const T* data, const Axis& axis, int new_size, const GridKernel& kernel) {
  const auto [count, size, width] = axis;
  std::vector<double> made(static_cast<std::size_t>(count) * new_size * width);
  for (int place = 0; place < new_size; ++place) {
    for (const auto& [from, weight] : terms_of(place, size, static_cast<double>(size) / new_size, kernel)) {
      for (int i = 0; i < count; ++i) {
        double* to = made.data() + (std::ptrdiff_t{i} * new_size + place) * width;
        const T* at = data + (std::ptrdiff_t{i} * size + from) * width;
        for (std::ptrdiff_t k = 0; k < width; ++k) to[k] += weight * at[k];
      }
    }
  }
  return made;
}

}  // namespace

Tensor resized_grid(ConstView table, const Grid& from, const Grid& to, const GridKernel& kernel) {
  require(to.rows > 0 && to.columns > 0, "a grid needs rows and columns, got ", to.rows, " and ", to.columns);
  const int width = table.cols;
  const std::vector<double> wide = resized_axis(table.data, {from.rows, from.columns, width}, to.columns, kernel);
  const std::vector<double> whole =
      resized_axis(wide.data(), {1, from.rows, std::ptrdiff_t{to.columns} * width}, to.rows, kernel);
  Tensor made({to.cells(), width});
  std::transform(whole.begin(), whole.end(), made.data(), [](double number) { return static_cast<float>(number); });
  return made;
}

}  // namespace transformer

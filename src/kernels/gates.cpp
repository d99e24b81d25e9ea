#include "kernels/gates.h"

#include "kernels/simd.h"

namespace transformer {

namespace {

Vec sigmoid(Vec x) { return Vec(1.0f) / (Vec(1.0f) + xsimd::exp(-x)); }

// Calls f(load_at, store_at) for every vector of `size` elements: load_at(row) and store_at(row, vector) reach that
// vector of a row. The tail goes through the same instructions.
template <class F>
void for_each_vector(int size, const F& f) {
  int i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    f([i](const float* row) { return load(row + i); }, [i](float* row, Vec v) { store(row + i, v); });
  }
  if (i < size) {
    const int rest = size - i;
    f([i, rest](const float* row) { return load_partial(row + i, rest); },
      [i, rest](float* row, Vec v) { store_partial(row + i, v, rest); });
  }
}

}  // namespace

void gru_gates(const float* x, const float* u, float* h, int size) {
  for_each_vector(size, [=](const auto& load_at, const auto& store_at) {
    const Vec r = sigmoid(load_at(x) + load_at(u));
    const Vec z = sigmoid(load_at(x + size) + load_at(u + size));
    const Vec n = xsimd::tanh(load_at(x + 2 * size) + r * load_at(u + 2 * size));
    store_at(h, (Vec(1.0f) - z) * n + z * load_at(h));
  });
}

void lstm_gates(const float* x, const float* u, float* c, float* h, int size) {
  for_each_vector(size, [=](const auto& load_at, const auto& store_at) {
    const auto sum = [&](int gate) { return load_at(x + gate * size) + load_at(u + gate * size); };
    const Vec i = sigmoid(sum(0));
    const Vec f = sigmoid(sum(1));
    const Vec g = xsimd::tanh(sum(2));
    const Vec o = sigmoid(sum(3));
    const Vec next = f * load_at(c) + i * g;
    store_at(c, next);
    store_at(h, o * xsimd::tanh(next));
  });
}

}  // namespace transformer

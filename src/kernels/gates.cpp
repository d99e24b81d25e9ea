#include "kernels/gates.h"

#include <algorithm>

#include "kernels/sigmoid.h"
#include "kernels/simd.h"

namespace transformer {

namespace {

[[gnu::noinline]] Vec load_up_to(const float* from, int count) {
  return count == kLanes ? load(from) : load_partial(from, count);
}

[[gnu::noinline]] void store_up_to(float* to, Vec x, int count) {
  if (count == kLanes) {
    store(to, x);
  } else {
    store_partial(to, x, count);
  }
}

// Calls f(load_at, store_at) for every vector of `size` elements: load_at(row) and store_at(row, vector) reach that
// vector of a row. Written once for whole vectors and the tail: each copy of the gates is 3 kB of code.
template <class F>
void for_each_vector(int size, const F& f) {
  for (int i = 0; i < size; i += kLanes) {
    const int count = std::min(kLanes, size - i);
    f([i, count](const float* row) { return load_up_to(row + i, count); },
      [i, count](float* row, Vec v) { store_up_to(row + i, v, count); });
  }
}

}  // namespace

void gru_gates(const float* x, const float* u, float* h, int size) {
  const Logistic sigmoid;
  for_each_vector(size, [=](const auto& load_at, const auto& store_at) {
    const Vec r = sigmoid(load_at(x) + load_at(u));
    const Vec z = sigmoid(load_at(x + size) + load_at(u + size));
    const Vec n = xsimd::tanh(load_at(x + 2 * size) + r * load_at(u + 2 * size));
    store_at(h, (Vec(1.0f) - z) * n + z * load_at(h));
  });
}

void lstm_gates(const float* x, const float* u, float* c, float* h, int size) {
  const Logistic sigmoid;
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

#include "kernels/gemm_saturating.h"

#include <algorithm>
#include <limits>

#include "kernels/int8_dot.h"

namespace transformer {

namespace {

constexpr std::int32_t kLow = std::numeric_limits<std::int16_t>::min();
constexpr std::int32_t kHigh = std::numeric_limits<std::int16_t>::max();

#if defined(__wasm_simd128__)

v128_t clamped(v128_t sums) {
  return wasm_i32x4_min(wasm_i32x4_max(sums, wasm_i32x4_splat(kLow)), wasm_i32x4_splat(kHigh));
}

// The sums of a panel.
void multiply_panel(const std::int16_t* a, const std::int8_t* b, int groups, float* to) {
  v128_t first = wasm_i32x4_splat(0), last = first;
  for (; groups > 0; --groups, a += 2, b += 2 * kIntegerPanel) {
    const v128_t pair = wasm_v128_load32_splat(a);
    first = wasm_i32x4_add(first, clamped(wasm_i32x4_dot_i16x8(wasm_i16x8_load8x8(b), pair)));
    last = wasm_i32x4_add(last, clamped(wasm_i32x4_dot_i16x8(wasm_i16x8_load8x8(b + kIntegerPanel), pair)));
  }
  wasm_v128_store(to, wasm_f32x4_convert_i32x4(first));
  wasm_v128_store(to + kIntLanes, wasm_f32x4_convert_i32x4(last));
}

#else

void multiply_panel(const std::int16_t* a, const std::int8_t* b, int groups, float* to) {
  for (int col = 0; col < kIntegerPanel; ++col) {
    std::int32_t sum = 0;
    for (int group = 0; group < groups; ++group) {
      const std::int8_t* pair = b + (group * kIntegerPanel + col) * 2;
      sum += std::clamp(a[2 * group] * pair[0] + a[2 * group + 1] * pair[1], kLow, kHigh);
    }
    to[col] = static_cast<float>(sum);
  }
}

#endif

}  // namespace

void multiply_saturating(const std::int16_t* a, const BytePanels& b, View c) {
  float sums[kIntegerPanel];
  for (int col = 0; col < c.cols; col += kIntegerPanel) {
    multiply_panel(a, b.first + col / kIntegerPanel * b.stride, b.groups, sums);
    std::copy_n(sums, std::min(kIntegerPanel, c.cols - col), c.row(0) + col);
  }
}

}  // namespace transformer

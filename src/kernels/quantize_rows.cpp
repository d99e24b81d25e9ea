#include "kernels/quantize_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/simd.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace transformer {

namespace {

constexpr int kBlock = 16;                              // elements quantised together; rows are padded to whole blocks
constexpr int kFloatsOfBlock = kBlock / sizeof(float);  // of the size of a block in 8 bits
constexpr int kTaskRows = 8;                            // rows per task

// Rows of smaller numbers than this count as zero: the inverse of their scale would overflow.
constexpr float kSmallestRange = 1e-32f;

struct Range {
  float low;   // at most 0
  float high;  // at least 0
};

// NaN if the row contains one.
Range range_of(const float* x, int count) {
  Vec low(0.0f), high(0.0f);
  auto is_nan = low != low;
  for (int i = 0; i < count; i += kLanes) {
    const Vec next = i + kLanes <= count ? load(x + i) : load_partial(x + i, count - i);
    low = xsimd::min(low, next);
    high = xsimd::max(high, next);
    is_nan = is_nan | (next != next);
  }
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  if (xsimd::any(is_nan)) return {kNaN, kNaN};
  return {xsimd::reduce_min(low), xsimd::reduce_max(high)};
}

// The quantisation of a row: q = round(x * inverse) + zero, rounding to nearest even.
struct Quantizer {
  float inverse;
  std::int32_t zero;
};

// Added to a number below 2^22, it leaves the nearest integer in the low bits.
constexpr float kRounder = 0x1.8p23f;

#if defined(__wasm_simd128__)

v128_t rounded(const float* x, const Quantizer& quantizer) {
  const v128_t scaled = wasm_f32x4_mul(wasm_v128_load(x), wasm_f32x4_splat(quantizer.inverse));
  const v128_t with_bits = wasm_f32x4_add(scaled, wasm_f32x4_splat(kRounder));
  return wasm_i32x4_sub(with_bits, wasm_i32x4_splat(std::bit_cast<std::int32_t>(kRounder) - quantizer.zero));
}

// Both narrow with saturation. The only value out of range is 128, if both ends of the row are halfway between
// integers.
void store_block(const float* x, const Quantizer& quantizer, std::int8_t* to) {
  const v128_t first = wasm_i16x8_narrow_i32x4(rounded(x, quantizer), rounded(x + 4, quantizer));
  const v128_t last = wasm_i16x8_narrow_i32x4(rounded(x + 8, quantizer), rounded(x + 12, quantizer));
  wasm_v128_store(to, wasm_i8x16_narrow_i16x8(first, last));
}

void store_block(const float* x, const Quantizer& quantizer, std::int16_t* to) {
  wasm_v128_store(to, wasm_i16x8_narrow_i32x4(rounded(x, quantizer), rounded(x + 4, quantizer)));
  wasm_v128_store(to + 8, wasm_i16x8_narrow_i32x4(rounded(x + 8, quantizer), rounded(x + 12, quantizer)));
}

#else

template <class Integer>
void store_block(const float* x, const Quantizer& quantizer, Integer* to) {
  constexpr std::int32_t kLargest = std::numeric_limits<Integer>::max();
  for (int i = 0; i < kBlock; ++i) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(x[i] * quantizer.inverse + kRounder);
    const std::int32_t q = bits - std::bit_cast<std::int32_t>(kRounder) + quantizer.zero;
    to[i] = static_cast<Integer>(std::clamp(q, -kLargest - 1, kLargest));
  }
}

#endif

template <class Integer>
void store_row(const float* x, int count, const Quantizer& quantizer, Integer* to) {
  int i = 0;
  for (; i + kBlock <= count; i += kBlock) store_block(x + i, quantizer, to + i);
  if (i == count) return;
  alignas(64) float rest[kBlock] = {};
  std::copy(x + i, x + count, rest);
  store_block(rest, quantizer, to + i);
}

int integer_bytes(RowFormat format) { return format == RowFormat::kSigned16 ? 2 : 1; }

// What the offset of 8 in weights of 4 bits adds to the sum of each group, negated.
void store_offsets(const std::int8_t* integers, int groups, std::int32_t* offsets) {
  for (int group = 0; group < groups; ++group, integers += kNibbleGroup) {
    std::int32_t sum = 0;
    for (int i = 0; i < kNibbleGroup; ++i) sum += integers[i];
    offsets[group] = -8 * sum;
  }
}

}  // namespace

int largest_activation(RowFormat format, int depth) {
  if (format != RowFormat::kSigned16) return 127;
  const int exact = std::numeric_limits<std::int32_t>::max() / (127 * std::max(depth, 1));
  return std::min<int>(exact, std::numeric_limits<std::int16_t>::max());
}

QuantizedRows quantize_rows(ConstView x, RowFormat format, Arena& arena, ThreadPool& threads) {
  const bool in_groups = format == RowFormat::kSigned8;
  const int groups = in_groups ? ceil_div(x.cols, kNibbleGroup) : 0;
  const int blocks = in_groups ? groups * (kNibbleGroup / kBlock) : ceil_div(x.cols, kBlock);
  const int floats = kFloatsOfBlock * integer_bytes(format);
  auto* integers = reinterpret_cast<std::int8_t*>(arena.take(float_count({x.rows, blocks, floats})));
  float* scales = arena.take(x.rows);
  auto* zeros = reinterpret_cast<std::int32_t*>(arena.take(x.rows));
  auto* offsets = reinterpret_cast<std::int32_t*>(arena.take(float_count({x.rows, groups})));
  const std::ptrdiff_t stride = blocks * floats * sizeof(float);
  const auto largest = static_cast<float>(largest_activation(format, x.cols));

  const int tasks = ceil_div(x.rows, kTaskRows);
  threads.parallel_for(tasks, x.elements(), [&](int task, int) {
    for (int row = task * kTaskRows; row < std::min((task + 1) * kTaskRows, x.rows); ++row) {
      Range range = range_of(x.row(row), x.cols);
      if (range.high < kSmallestRange && range.low > -kSmallestRange) range = {0.0f, 0.0f};
      const bool both_signs = format != RowFormat::kUnsigned7;
      const float scale = both_signs ? std::max(range.high, -range.low) / largest
                                     : range.high / largest - range.low / largest;  // the difference may overflow
      std::int8_t* to = integers + row * stride;
      scales[row] = scale;
      zeros[row] = 0;
      if (scale == 0.0f || !std::isfinite(scale)) {
        std::fill_n(to, stride, std::int8_t{0});
      } else {
        Quantizer quantizer = {1.0f / scale, 0};
        if (!both_signs) quantizer.zero = static_cast<std::int32_t>(std::nearbyint(-range.low * quantizer.inverse));
        zeros[row] = quantizer.zero;
        if (format == RowFormat::kSigned16) {
          store_row(x.row(row), x.cols, quantizer, reinterpret_cast<std::int16_t*>(to));
        } else {
          store_row(x.row(row), x.cols, quantizer, to);
        }
        const int stored = ceil_div(x.cols, kBlock) * kBlock * integer_bytes(format);
        std::fill(to + stored, to + stride, std::int8_t{0});
      }
      store_offsets(to, groups, offsets + row * groups);
    }
  });
  return {integers, stride, scales, zeros, offsets, x.rows};
}

}  // namespace transformer

// Dot products with 8-bit weights on the vector unit: 4 columns in lanes of 32 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/quantized_matrix.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace transformer {

inline constexpr int kIntLanes = 4;
inline constexpr int kIntPanelVectors = kInt8Panel / kIntLanes;
static_assert(kInt8Panel % kIntLanes == 0);

#if defined(__wasm_simd128__)

using Ints = v128_t;

// A group of activations, 4 bytes, in every lane.
inline Ints load_group(const std::int8_t* from) { return wasm_v128_load32_splat(from); }

inline Ints load_times(const std::int32_t* from, std::int32_t factor) {
  return wasm_i32x4_mul(wasm_v128_load(from), wasm_i32x4_splat(factor));
}

// to <- sums * (row_scale * column_scales), in that order: a sum times one of the scales could overflow
inline void store_scaled(float* to, Ints sums, float row_scale, const float* column_scales) {
  const v128_t scales = wasm_f32x4_mul(wasm_f32x4_splat(row_scale), wasm_v128_load(column_scales));
  wasm_v128_store(to, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums), scales));
}

#if defined(TRANSFORMER_RELAXED_SIMD)
// Four adjacent k per lane: weights of 8 bits, activations from 0 to 127.
struct Quads {
  static constexpr DotGroup kGroup = DotGroup::kQuads;
  static Ints load_weights(const std::int8_t* from) { return wasm_v128_load(from); }
  static Ints dot(Ints weights, Ints activations, Ints sums) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(weights, activations, sums);
  }
};
#endif

// Two adjacent k per lane: weights of 8 bits, activations of 16 bits.
struct Pairs {
  static constexpr DotGroup kGroup = DotGroup::kPairs;
  static Ints load_weights(const std::int8_t* from) { return wasm_i16x8_load8x8(from); }
  static Ints dot(Ints weights, Ints activations, Ints sums) {
    return wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(weights, activations));
  }
};

#else  // the same integers by plain loops, for native tests and sanitizers

struct Ints {
  std::int32_t lanes[kIntLanes];
};

inline Ints load_group(const std::int8_t* from) {
  Ints group;
  for (std::int32_t& lane : group.lanes) std::memcpy(&lane, from, sizeof lane);
  return group;
}

inline Ints load_times(const std::int32_t* from, std::int32_t factor) {
  Ints product;
  for (int i = 0; i < kIntLanes; ++i) product.lanes[i] = from[i] * factor;
  return product;
}

inline void store_scaled(float* to, Ints sums, float row_scale, const float* column_scales) {
  for (int i = 0; i < kIntLanes; ++i) to[i] = static_cast<float>(sums.lanes[i]) * (row_scale * column_scales[i]);
}

// The dot product of one lane: its activations, of type Activation, times as many weights.
template <class Activation>
inline Ints plain_dot(const std::int8_t* weights, const Ints& activations, Ints sums) {
  constexpr int kCount = sizeof(std::int32_t) / sizeof(Activation);
  for (int i = 0; i < kIntLanes; ++i) {
    Activation numbers[kCount];
    std::memcpy(numbers, &activations.lanes[i], sizeof numbers);
    for (int j = 0; j < kCount; ++j) sums.lanes[i] += weights[i * kCount + j] * numbers[j];
  }
  return sums;
}

struct Quads {
  static constexpr DotGroup kGroup = DotGroup::kQuads;
  static const std::int8_t* load_weights(const std::int8_t* from) { return from; }
  static Ints dot(const std::int8_t* weights, const Ints& activations, const Ints& sums) {
    return plain_dot<std::int8_t>(weights, activations, sums);
  }
};

struct Pairs {
  static constexpr DotGroup kGroup = DotGroup::kPairs;
  static const std::int8_t* load_weights(const std::int8_t* from) { return from; }
  static Ints dot(const std::int8_t* weights, const Ints& activations, const Ints& sums) {
    return plain_dot<std::int16_t>(weights, activations, sums);
  }
};

#endif

// With relaxed SIMD, pairs are for the few engines whose instruction for quads is faulty: small code instead of speed.
#if defined(TRANSFORMER_RELAXED_SIMD)
template <class Dot>
inline constexpr bool kIsSpare = Dot::kGroup == DotGroup::kPairs;
#else
template <class Dot>
inline constexpr bool kIsSpare = false;
#endif

}  // namespace transformer

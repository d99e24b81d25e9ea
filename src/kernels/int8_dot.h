// Dot products with 8-bit weights on the vector unit: 4 columns in lanes of 32 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/panels.h"
#include "kernels/simd.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace transformer {

inline constexpr int kIntLanes = 4;
inline constexpr int kIntegerPanelVectors = kIntegerPanel / kIntLanes;
static_assert(kIntegerPanel % kIntLanes == 0);

// The first column of vector v of a tile whose panels are `step` apart.
constexpr int column_of(int v, int step) {
  return v / kIntegerPanelVectors * step * kIntegerPanel + v % kIntegerPanelVectors * kIntLanes;
}

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
// Four adjacent k per lane: weights of 8 bits, activations from 0 to 127. In Gop/s with AVX-VNNI: 6 rows x 2 vectors
// 188, as much as 10 or 12 accumulators without loads (167 to 173); 4 rows 141 to 145, 4 x 3 vectors 120, 3 x 4 145.
struct Quads {
  static constexpr DotGroup kGroup = DotGroup::kQuads;
  static constexpr int kTileRows = 6;
  static Ints load_weights(const std::int8_t* from) { return wasm_v128_load(from); }
  static Ints dot(Ints weights, Ints activations, Ints sums) {
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(weights, activations, sums);
  }
};

// Sums of neighbours in lanes of 16 bits.
struct PairAdder {
  static constexpr std::int16_t kOnes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  // From memory, so that they stay in a register: V8 would build a constant each time.
  v128_t ones = wasm_v128_load(opaque(kOnes));
  Ints operator()(v128_t numbers) const { return wasm_i32x4_dot_i16x8(numbers, ones); }
};

// The same sums for machines without such an instruction: V8 takes five for the one above there, and three for these.
// In Gop/s on AMD's Zen 4: 118 with 4 or 5 rows x 2 vectors, 116 with 6; the one above 91.
struct SteppedQuads {
  static constexpr DotGroup kGroup = DotGroup::kQuads;
  static constexpr int kTileRows = 4;
  PairAdder add_pairs;
  static Ints load_weights(const std::int8_t* from) { return wasm_v128_load(from); }
  Ints dot(Ints weights, Ints activations, Ints sums) const {
    return wasm_i32x4_add(sums, add_pairs(wasm_i16x8_relaxed_dot_i8x16_i7x16(weights, activations)));
  }
};
#endif

// Two adjacent k per lane: weights of 8 bits, activations of 16 bits. In Gop/s on Zen 4: 88 with 4 rows x 2 vectors, 70
// with 6; on Intel's Sapphire Rapids 61 to 66 with either.
struct Pairs {
  static constexpr DotGroup kGroup = DotGroup::kPairs;
  static constexpr int kTileRows = 4;
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
  static constexpr int kTileRows = 6;
  static const std::int8_t* load_weights(const std::int8_t* from) { return from; }
  static Ints dot(const std::int8_t* weights, const Ints& activations, const Ints& sums) {
    return plain_dot<std::int8_t>(weights, activations, sums);
  }
};

struct Pairs {
  static constexpr DotGroup kGroup = DotGroup::kPairs;
  static constexpr int kTileRows = 4;
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

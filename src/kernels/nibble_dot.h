// Dot products with 4-bit weights on the vector unit: 4 columns in lanes of 32 bits, 8 k at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/half.h"
#include "kernels/int8_dot.h"

namespace transformer {

inline Ints spread(std::int32_t number);  // in every lane

// How codes of 16 bits become float32: as integers with a sign, shifted, and without the copies of the sign.
struct HalfBits {
  explicit HalfBits(HalfType type)
      : shift(type == HalfType::kBf16 ? 16 : 13), mask(type == HalfType::kBf16 ? -1 : static_cast<int>(0x8fffffffu)) {}

  int shift;
  std::int32_t mask;
};

// The sums of a group: they start with what the offset of 8 in its weights adds to them, negated.
struct SumsOf32Bits {
  static Ints start(std::int32_t offset) { return spread(offset); }
  static Ints finish(const Ints& sums, std::int32_t) { return sums; }
};

#if defined(__wasm_simd128__)

using Floats = v128_t;

inline Ints spread(std::int32_t number) { return wasm_i32x4_splat(number); }

// Scales of 4 columns.
inline Floats load_scales(const std::uint8_t* from, HalfBits bits) {
  return wasm_v128_and(wasm_i32x4_shl(wasm_i32x4_load16x4(from), bits.shift), wasm_i32x4_splat(bits.mask));
}

inline Floats add_scaled(Floats total, Ints sums, Floats scales) {
  return wasm_f32x4_add(total, wasm_f32x4_mul(wasm_f32x4_convert_i32x4(sums), scales));
}

inline Floats times(Floats totals, float factor) { return wasm_f32x4_mul(totals, wasm_f32x4_splat(factor)); }

inline void store(float* to, Floats totals) { wasm_v128_store(to, totals); }

#if defined(TRANSFORMER_RELAXED_SIMD)
// The instruction takes 8 bits with a sign and 7 without: the activations are the former, the weights plus 8 the
// latter.
struct NibbleQuads : SumsOf32Bits {
  static constexpr DotGroup kGroup = DotGroup::kQuads;
  struct Weights {
    v128_t low, high;
  };
  struct Activations {
    v128_t low, high;
  };

  static Weights load_weights(const std::uint8_t* from) {
    const v128_t both = wasm_v128_load(from);
    const v128_t mask = wasm_i8x16_splat(15);
    return {wasm_v128_and(both, mask), wasm_v128_and(wasm_u16x8_shr(both, 4), mask)};
  }
  static Activations load_activations(const std::int8_t* from) {
    return {wasm_v128_load32_splat(from), wasm_v128_load32_splat(from + 4)};
  }
  static Ints dot(const Weights& weights, const Activations& activations, Ints sums) {
    sums = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(activations.low, weights.low, sums);
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(activations.high, weights.high, sums);
  }
};

// The same sums for machines without the instruction, as SteppedQuads. A group's fit 16 bits: one of its additions of
// neighbours is enough.
struct SteppedNibbleQuads : NibbleQuads {
  static_assert(kNibbleGroup / 2 * 127 * 15 < 1 << 15);
  PairAdder add_pairs;
  static Ints start(std::int32_t) { return wasm_i16x8_splat(0); }
  static Ints dot(const Weights& weights, const Activations& activations, Ints sums) {
    sums = wasm_i16x8_add(sums, wasm_i16x8_relaxed_dot_i8x16_i7x16(activations.low, weights.low));
    return wasm_i16x8_add(sums, wasm_i16x8_relaxed_dot_i8x16_i7x16(activations.high, weights.high));
  }
  Ints finish(Ints sums, std::int32_t offset) const { return wasm_i32x4_add(add_pairs(sums), spread(offset)); }
};
#endif

// In lanes of 16 bits: the even and the odd bytes of each half.
struct NibblePairs : SumsOf32Bits {
  static constexpr DotGroup kGroup = DotGroup::kPairs;
  struct Weights {
    v128_t parts[4];
  };
  struct Activations {
    v128_t parts[4];
  };

  static Weights load_weights(const std::uint8_t* from) {
    const v128_t both = wasm_v128_load(from);
    const v128_t mask = wasm_i16x8_splat(15);
    return {{wasm_v128_and(both, mask), wasm_v128_and(wasm_u16x8_shr(both, 8), mask),
             wasm_v128_and(wasm_u16x8_shr(both, 4), mask), wasm_u16x8_shr(both, 12)}};
  }
  static Activations load_activations(const std::int8_t* from) {
    const v128_t low = wasm_v128_load32_splat(from), high = wasm_v128_load32_splat(from + 4);
    return {{even(low), wasm_i16x8_shr(low, 8), even(high), wasm_i16x8_shr(high, 8)}};
  }
  static Ints dot(const Weights& weights, const Activations& activations, Ints sums) {
    for (int i = 0; i < 4; ++i) {
      sums = wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(weights.parts[i], activations.parts[i]));
    }
    return sums;
  }

 private:
  static v128_t even(v128_t bytes) { return wasm_i16x8_shr(wasm_i16x8_shl(bytes, 8), 8); }
};

#else  // the same integers by plain loops, for native tests and sanitizers

struct Floats {
  float lanes[kIntLanes];
};

inline Ints spread(std::int32_t number) { return {{number, number, number, number}}; }

inline Floats load_scales(const std::uint8_t* from, HalfBits bits) {
  Floats scales;
  for (int i = 0; i < kIntLanes; ++i) {
    std::int16_t code;
    std::memcpy(&code, from + 2 * i, sizeof code);
    const auto shifted = static_cast<std::uint32_t>(std::int32_t{code}) << bits.shift;
    scales.lanes[i] = std::bit_cast<float>(shifted & static_cast<std::uint32_t>(bits.mask));
  }
  return scales;
}

inline Floats add_scaled(Floats total, const Ints& sums, const Floats& scales) {
  for (int i = 0; i < kIntLanes; ++i) total.lanes[i] += static_cast<float>(sums.lanes[i]) * scales.lanes[i];
  return total;
}

inline Floats times(Floats totals, float factor) {
  for (float& lane : totals.lanes) lane *= factor;
  return totals;
}

inline void store(float* to, const Floats& totals) { std::memcpy(to, totals.lanes, sizeof totals.lanes); }

struct NibbleQuads : SumsOf32Bits {
  static constexpr DotGroup kGroup = DotGroup::kQuads;
  using Weights = const std::uint8_t*;
  static Weights load_weights(const std::uint8_t* from) { return from; }
  static const std::int8_t* load_activations(const std::int8_t* from) { return from; }
  static Ints dot(const std::uint8_t* weights, const std::int8_t* activations, Ints sums) {
    for (int i = 0; i < kIntLanes; ++i) {
      for (int j = 0; j < 4; ++j) {
        const int both = weights[4 * i + j];
        sums.lanes[i] += (both & 15) * activations[j] + (both >> 4) * activations[4 + j];
      }
    }
    return sums;
  }
};

#endif

}  // namespace transformer

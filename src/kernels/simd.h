// The one place that knows the vector unit: 4 lanes in WebAssembly, 8 with AVX2.
#pragma once

#include <xsimd/xsimd.hpp>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace transformer {

using Vec = xsimd::batch<float>;
inline constexpr int kLanes = Vec::size;

// a * b + c: one rounding with AVX2 and relaxed SIMD on hardware that fuses, two in plain SIMD128. Every sum of
// products goes through here, so that all paths of one build round alike.
inline Vec multiply_add(Vec a, Vec b, Vec c) {
#if defined(TRANSFORMER_RELAXED_SIMD)
  return Vec(wasm_f32x4_relaxed_madd(a, b, c));
#else
  return xsimd::fma(a, b, c);
#endif
}

// The larger of both; x where it is NaN.
inline Vec at_least(Vec x, Vec least) {
#if defined(__wasm_simd128__)
  return Vec(wasm_f32x4_pmax(x, least));
#else
  return xsimd::select(x < least, least, x);
#endif
}

// The same pointer, of which the compiler knows no more what it points to: it must read the constants that are there.
template <class T>
inline const T* opaque(const T* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

inline Vec load(const float* from) { return Vec::load_unaligned(from); }
inline void store(float* to, Vec x) { x.store_unaligned(to); }

// The first `count` < kLanes elements; the other lanes hold `fill`.
inline Vec load_partial(const float* from, int count, float fill = 0.0f) {
  alignas(64) float lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = i < count ? from[i] : fill;
  return Vec::load_aligned(lanes);
}

inline void store_partial(float* to, Vec x, int count) {
  alignas(64) float lanes[kLanes];
  x.store_aligned(lanes);
  for (int i = 0; i < count; ++i) to[i] = lanes[i];
}

// Calls f(vector) -> vector over a row in place of a loop with a tail: the tail goes through the same instructions, so
// an element's value does not depend on where it stands.
template <class F>
void transform_row(const float* in, float* out, int count, const F& f) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, f(load(in + i)));
  if (i < count) store_partial(out + i, f(load_partial(in + i, count - i)), count - i);
}

}  // namespace transformer

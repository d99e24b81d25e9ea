// The vector type of the build, 4 lanes in WebAssembly and 8 with AVX2, and its operations.
#pragma once

#include <xsimd/xsimd.hpp>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace transformer {

using Vec = xsimd::batch<float>;
inline constexpr int kLanes = Vec::size;

// a * b + c: one rounding with AVX2, and with relaxed SIMD if the hardware fuses; two with plain SIMD128. Every sum of
// products uses it, so that all code paths of a build round alike.
inline Vec multiply_add(Vec a, Vec b, Vec c) {
#if defined(TRANSFORMER_RELAXED_SIMD)
  return Vec(wasm_f32x4_relaxed_madd(a, b, c));
#else
  return xsimd::fma(a, b, c);
#endif
}

// The greater of both; x if x is NaN.
inline Vec at_least(Vec x, Vec least) {
#if defined(__wasm_simd128__)
  return Vec(wasm_f32x4_pmax(x, least));
#else
  return xsimd::select(x < least, least, x);
#endif
}

// The lesser of both; x if x is NaN.
inline Vec at_most(Vec x, Vec most) {
#if defined(__wasm_simd128__)
  return Vec(wasm_f32x4_pmin(x, most));
#else
  return xsimd::select(most < x, most, x);
#endif
}

// The same pointer, but the compiler no longer knows its target: it must load the constants from memory.
template <class T>
inline const T* opaque(const T* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

inline Vec load(const float* from) { return Vec::load_unaligned(from); }
inline void store(float* to, Vec x) { x.store_unaligned(to); }

// Loads the first `count` < kLanes elements; the other lanes are `fill`.
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

// Applies f(vector) -> vector to a row. The tail uses the same instructions, so that an element's result does not
// depend on its place.
template <class F>
void transform_row(const float* in, float* out, int count, const F& f) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, f(load(in + i)));
  if (i < count) store_partial(out + i, f(load_partial(in + i, count - i)), count - i);
}

}  // namespace transformer

// What the fuzzers share: values drawn from the input, and calls that may only fail with a typed error.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>

#include "base/error.h"
#include "base/tensor.h"
#include "weights/weights.h"

// As in WebAssembly, a request for more memory than there is throws; AddressSanitizer's operator new ends the program,
// and a model of ten thousand small layers the machine's patience. Each fuzzer is one source file, so these are defined
// once.
namespace transformer::fuzz {
inline std::atomic<std::size_t> memory_used = 0;
inline std::atomic<std::size_t> memory_limit = SIZE_MAX;  // what may_refuse() allows its call
}  // namespace transformer::fuzz

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  using namespace transformer::fuzz;
  if (size > memory_limit - std::min(memory_used.load(), memory_limit.load())) return nullptr;
  void* const block = std::malloc(std::max<std::size_t>(size, 1));
  if (block) memory_used += malloc_usable_size(block);
  return block;
}
void* operator new(std::size_t size) {
  void* const block = operator new(size, std::nothrow);
  if (!block) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept {
  if (block) transformer::fuzz::memory_used -= malloc_usable_size(block);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { operator delete(block); }

namespace transformer::fuzz {

using Data = FuzzedDataProvider;

// Usually small, sometimes at the end of its range.
inline int size_from(Data& data, int most = 6) {
  constexpr int kExtreme[] = {-1, 0, 65536, INT_MAX / 2, INT_MAX - 1, INT_MAX, INT_MIN};
  if (data.ConsumeIntegralInRange(0, 31) == 31) return data.PickValueInArray(kExtreme);
  return data.ConsumeIntegralInRange(0, most);
}

inline float number_from(Data& data) {
  constexpr float kExtreme[] = {0.0f,
                                -0.0f,
                                1.0f,
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::denorm_min()};
  if (data.ConsumeIntegralInRange(0, 15) == 15) return data.PickValueInArray(kExtreme);
  return static_cast<float>(data.ConsumeIntegral<std::int8_t>()) / 16;
}

// Small enough that an input takes no seconds; an error is what a caller gets for the others.
inline Tensor tensor_from(Data& data, const Shape& shape) {
  require(element_count(shape) <= 4096, "too large for a fuzzer");
  for (int axis : shape) require(axis <= 4096, "too long for a fuzzer");
  Tensor tensor(shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = number_from(data);
  return tensor;
}

inline Shape shape_from(Data& data) {
  Shape shape(data.ConsumeIntegralInRange<std::size_t>(0, 5));
  for (int& axis : shape) axis = size_from(data, 5);
  return shape;
}

// A mask of zeros and ones, a scalar, or none.
inline Tensor mask_from(Data& data, const Shape& shape) {
  Tensor mask = tensor_from(data, shape);
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = mask.data()[i] > 0 ? 1.0f : 0.0f;
  return mask;
}

template <class Enum>
Enum enum_from(Data& data) {
  const auto names = enum_names(Enum{});
  return names[data.ConsumeIntegralInRange<std::size_t>(0, names.size() - 1)].value;
}

// Weights drawn from a seed, in any format.
inline Weights weights_from(Data& data) {
  const std::uint8_t seed = data.ConsumeIntegral<std::uint8_t>();
  const bool is_quantized = data.ConsumeBool();
  const Dtype quantized = data.ConsumeBool() ? Dtype::kInt4 : Dtype::kInt8;
  return Weights::random(seed, is_quantized ? quantized : Dtype::kF32);
}

// What is not thrown as one of our errors, or for want of memory (64 MiB), is a finding.
template <class F>
void may_refuse(const F& call) {
  memory_limit = memory_used + (std::size_t{64} << 20);
  try {
    call();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInternal) std::abort();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  memory_limit = SIZE_MAX;
}

inline void require_same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.size() != b.size()) std::abort();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool both_nan = a.data()[i] != a.data()[i] && b.data()[i] != b.data()[i];
    if (!both_nan && a.data()[i] != b.data()[i]) std::abort();
  }
}

}  // namespace transformer::fuzz

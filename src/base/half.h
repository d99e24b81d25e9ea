// Floating-point numbers of 16 bits, as checkpoints store them.
#pragma once

#include <bit>
#include <cstdint>

namespace transformer {

// kBf16: the upper half of a float32. kF16: IEEE 754 binary16, with 5 bits of exponent and 10 of mantissa.
enum class HalfType { kBf16, kF16 };

constexpr float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

constexpr float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1fu;
  const std::uint32_t mantissa = bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

// The inverse of from_f16(), for numbers that it returns.
constexpr std::uint16_t to_f16(float number) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t exponent = bits >> 23 & 0xffu;
  const std::uint32_t mantissa = bits >> 13 & 0x3ffu;
  if (exponent == 255) return static_cast<std::uint16_t>(sign | 0x7c00u | mantissa);
  if (exponent > 112) return static_cast<std::uint16_t>(sign | (exponent - 112) << 10 | mantissa);
  const float magnitude = sign ? -number : number;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(magnitude * 0x1p24f));
}

constexpr float widened(std::uint16_t bits, HalfType type) {
  return type == HalfType::kBf16 ? from_bf16(bits) : from_f16(bits);
}

// The inverse of widened(), for numbers that it returns.
constexpr std::uint16_t narrowed(float number, HalfType type) {
  if (type == HalfType::kF16) return to_f16(number);
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16);
}

}  // namespace transformer

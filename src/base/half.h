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

// How a HalfMatrix stores the numbers of a type. bfloat16: as they are. binary16: s eeeee mmmmmmmmmm with another bias,
// so that a float32 with this sign, exponent and mantissa, the other bits zero, times the scale is the number.
// Processors take 150 cycles for a subnormal factor; with the scale for weights all codes are normal numbers.
struct HalfCode {
  HalfType type;
  float scale;

  // For binary16 below 128 in magnitude, its subnormal numbers included.
  static constexpr HalfCode for_weights(HalfType type) { return {type, type == HalfType::kF16 ? 0x1p102f : 1.0f}; }
  // For all finite numbers, of which those below 2^-15 have subnormal codes.
  static constexpr HalfCode for_all(HalfType type) { return {type, type == HalfType::kF16 ? 0x1p111f : 1.0f}; }

  // Of a finite number that the type can represent.
  constexpr std::uint16_t code(float number) const {
    const auto bits = std::bit_cast<std::uint32_t>(number / scale);
    if (type == HalfType::kBf16) return static_cast<std::uint16_t>(bits >> 16);
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | (bits >> 13 & 0x7fffu));
  }

  constexpr float number(std::uint16_t code) const {
    const std::uint32_t bits = code;
    if (type == HalfType::kBf16) return from_bf16(code);
    return std::bit_cast<float>((bits & 0x8000u) << 16 | (bits & 0x7fffu) << 13) * scale;
  }
};

}  // namespace transformer

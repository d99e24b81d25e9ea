#include "weights/block_types.h"

#include <cstring>

#include "base/half.h"

namespace transformer {

namespace {

float half(const std::uint8_t* from) { return from_f16(static_cast<std::uint16_t>(from[0] | from[1] << 8)); }

constexpr int kBytes = 16;  // that hold 32 integers of 4 bits

// 32 numbers scale * (q - zero) + minimum. The lower halves of the bytes are the first 16 of them, the upper halves the
// others; high: their fifth bits.
struct Nibbles {
  const std::uint8_t* bytes;
  float scale;
  int zero = 0;
  float minimum = 0.0f;
  std::uint32_t high = 0;
};

void widen_nibbles(const Nibbles& block, float* to) {
  const auto [bytes, scale, zero, minimum, high] = block;
  for (int i = 0; i < kBytes; ++i) {
    const int low = (bytes[i] & 15) | static_cast<int>(high >> i & 1) << 4;
    const int upper = bytes[i] >> 4 | static_cast<int>(high >> (kBytes + i) & 1) << 4;
    to[i] = scale * static_cast<float>(low - zero) + minimum;
    to[kBytes + i] = scale * static_cast<float>(upper - zero) + minimum;
  }
}

std::uint32_t word(const std::uint8_t* from) {
  std::uint32_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

// The factor of a part and that of its minimum.
struct Factors {
  int of_scale;
  int of_minimum;
};

// Of 6 bits: eight of each in 12 bytes.
Factors six_bits(const std::uint8_t* from, int part) {
  const int low = from[part & 3], middle = from[4 + (part & 3)];
  if (part < 4) return {low & 63, middle & 63};
  const int both = from[4 + part];
  return {(both & 15) | low >> 6 << 4, both >> 4 | middle >> 6 << 4};
}

// Eight parts of 32 numbers: d * factor * q - m * factor. Two parts share 32 bytes, as their lower and upper halves.
// high: the fifth bits, a bit of each byte for each part; null: there are none.
void widen_eight_parts(const std::uint8_t* block, const std::uint8_t* high, const std::uint8_t* bytes, float* to) {
  constexpr int kPart = 32;
  const float scale = half(block), minimum = half(block + 2);
  for (int part = 0; part < 8; ++part, to += kPart) {
    const Factors factors = six_bits(block + 4, part);
    const float d = scale * static_cast<float>(factors.of_scale);
    const float m = minimum * static_cast<float>(factors.of_minimum);
    const std::uint8_t* from = bytes + kPart * (part / 2);
    const int shift = 4 * (part & 1);
    for (int i = 0; i < kPart; ++i) {
      const int fifth = high ? high[i] >> part & 1 : 0;
      to[i] = d * static_cast<float>((from[i] >> shift & 15) | fifth << 4) - m;
    }
  }
}

constexpr int kSixteenth = 16;  // numbers of each of sixteen parts

}  // namespace

void widen_q4_0(const std::uint8_t* block, float* to) { widen_nibbles({block + 2, half(block), 8}, to); }

void widen_q4_1(const std::uint8_t* block, float* to) {
  widen_nibbles({block + 4, half(block), 0, half(block + 2)}, to);
}

void widen_q5_0(const std::uint8_t* block, float* to) {
  widen_nibbles({block + 6, half(block), 16, 0.0f, word(block + 2)}, to);
}

void widen_q5_1(const std::uint8_t* block, float* to) {
  widen_nibbles({block + 8, half(block), 0, half(block + 2), word(block + 4)}, to);
}

void widen_q8_0(const std::uint8_t* block, float* to) {
  const float scale = half(block);
  for (int i = 0; i < 32; ++i) to[i] = scale * static_cast<float>(static_cast<std::int8_t>(block[2 + i]));
}

// Sixteen parts of 2 bits: d * factor * q - m * factor, with factors of 4 bits.
void widen_q2_k(const std::uint8_t* block, float* to) {
  const float scale = half(block + 80), minimum = half(block + 82);
  for (int part = 0; part < 16; ++part, to += kSixteenth) {
    const float d = scale * static_cast<float>(block[part] & 15), m = minimum * static_cast<float>(block[part] >> 4);
    const std::uint8_t* from = block + 16 + 32 * (part / 8) + kSixteenth * (part & 1);
    const int shift = part / 2 % 4 * 2;
    for (int i = 0; i < kSixteenth; ++i) to[i] = d * static_cast<float>(from[i] >> shift & 3) - m;
  }
}

// Sixteen parts of 3 bits, the third in front of the others: d * (factor - 32) * (q - 4), with factors of 6 bits.
void widen_q3_k(const std::uint8_t* block, float* to) {
  const float scale = half(block + 108);
  for (int part = 0; part < 16; ++part, to += kSixteenth) {
    const int low = block[96 + part % 8] >> (part < 8 ? 0 : 4) & 15;
    const int high = block[104 + part % 4] >> (2 * (part / 4)) & 3;
    const float d = scale * static_cast<float>((low | high << 4) - 32);
    const std::uint8_t* third = block + kSixteenth * (part & 1);
    const std::uint8_t* from = block + 32 + 32 * (part / 8) + kSixteenth * (part & 1);
    const int shift = part / 2 % 4 * 2;
    for (int i = 0; i < kSixteenth; ++i) {
      const int q = (from[i] >> shift & 3) | (third[i] >> (part / 2) & 1) << 2;
      to[i] = d * static_cast<float>(q - 4);
    }
  }
}

void widen_q4_k(const std::uint8_t* block, float* to) { widen_eight_parts(block, nullptr, block + 16, to); }

void widen_q5_k(const std::uint8_t* block, float* to) { widen_eight_parts(block, block + 16, block + 48, to); }

// Sixteen parts of 6 bits, their upper two apart: d * factor * (q - 32), with factors of 8 bits.
void widen_q6_k(const std::uint8_t* block, float* to) {
  const float scale = half(block + 208);
  for (int part = 0; part < 16; ++part, to += kSixteenth) {
    const float d = scale * static_cast<float>(static_cast<std::int8_t>(block[192 + part]));
    const int quarter = part / 2 % 4, begin = kSixteenth * (part & 1);
    const std::uint8_t* low = block + 64 * (part / 8) + 32 * (quarter % 2) + begin;
    const std::uint8_t* high = block + 128 + 32 * (part / 8) + begin;
    const int shift = quarter < 2 ? 0 : 4;
    for (int i = 0; i < kSixteenth; ++i) {
      const int q = (low[i] >> shift & 15) | (high[i] >> (2 * quarter) & 3) << 4;
      to[i] = d * static_cast<float>(q - 32);
    }
  }
}

NibbleRun q4_0_run(const std::uint8_t* block) {
  NibbleRun run;
  run.scale = static_cast<std::uint16_t>(block[0] | block[1] << 8);
  for (int i = 0; i < kBytes; ++i) {
    run.integers[i] = block[2 + i] & 15;
    run.integers[kBytes + i] = block[2 + i] >> 4;
  }
  return run;
}

}  // namespace transformer

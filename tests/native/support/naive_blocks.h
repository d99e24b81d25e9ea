// The blocks of GGUF as ggml's loops walk over them, in double precision: naive twins of src/weights/block_types.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "weights/stored_type.h"

namespace transformer::testing {

inline double naive_half(const std::uint8_t* bytes) {
  const int bits = bytes[0] + 256 * bytes[1], exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size = exponent == 0 ? mantissa * 0x1p-24 : std::ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -size : size;
}

// d (q - zero) + m, with m behind d if there is one, and the fifth bits behind that.
inline std::vector<double> naive_of_32(const std::uint8_t* bytes, bool has_minimum, bool has_high, int zero) {
  const double d = naive_half(bytes), m = has_minimum ? naive_half(bytes + 2) : 0.0;
  const std::uint8_t* high = bytes + (has_minimum ? 4 : 2);
  const std::uint8_t* q = high + (has_high ? 4 : 0);
  std::vector<double> y(32);
  for (int j = 0; j < 32; ++j) {
    const int low = j < 16 ? q[j] % 16 : q[j - 16] / 16;
    const int fifth = has_high && (high[j / 8] >> (j % 8) & 1) ? 16 : 0;
    y[j] = d * (low + fifth - zero) + m;
  }
  return y;
}

inline std::vector<double> naive_q8_0(const std::uint8_t* bytes) {
  std::vector<double> y;
  for (int j = 0; j < 32; ++j) y.push_back(naive_half(bytes) * static_cast<std::int8_t>(bytes[2 + j]));
  return y;
}

inline std::vector<double> naive_q2_k(const std::uint8_t* bytes) {
  const double d = naive_half(bytes + 80), m = naive_half(bytes + 82);
  std::vector<double> y;
  int part = 0;
  for (const int q : {16, 48}) {
    for (const int shift : {0, 2, 4, 6}) {
      for (const int begin : {0, 16}) {
        const int scale = bytes[part++];
        for (int l = 0; l < 16; ++l) {
          y.push_back(d * (scale % 16) * (bytes[q + begin + l] >> shift & 3) - m * (scale / 16));
        }
      }
    }
  }
  return y;
}

inline std::vector<double> naive_q3_k(const std::uint8_t* bytes) {
  const double d = naive_half(bytes + 108);
  const std::uint8_t* packed = bytes + 96;
  std::vector<double> y;
  int part = 0, mask = 1;
  for (const int q : {32, 64}) {
    for (const int shift : {0, 2, 4, 6}) {
      for (const int begin : {0, 16}) {
        const int low = part < 8 ? packed[part] % 16 : packed[part - 8] / 16;
        const int scale = low + 16 * (packed[8 + part % 4] >> (2 * (part / 4)) & 3) - 32;
        ++part;
        for (int l = begin; l < begin + 16; ++l) {
          y.push_back(d * scale * ((bytes[q + l] >> shift & 3) - (bytes[l] & mask ? 0 : 4)));
        }
      }
      mask *= 2;
    }
  }
  return y;
}

inline std::vector<double> naive_q45_k(const std::uint8_t* bytes, bool has_high) {
  const double d = naive_half(bytes), m = naive_half(bytes + 2);
  const std::uint8_t* s = bytes + 4;
  std::vector<double> y;
  for (int part = 0; part < 8; ++part) {
    const int scale = part < 4 ? s[part] % 64 : s[part + 4] % 16 + 16 * (s[part - 4] / 64);
    const int minimum = part < 4 ? s[part + 4] % 64 : s[part + 4] / 16 + 16 * (s[part] / 64);
    const std::uint8_t* q = bytes + (has_high ? 48 : 16) + 32 * (part / 2);
    for (int l = 0; l < 32; ++l) {
      const int low = part % 2 ? q[l] / 16 : q[l] % 16, high = has_high && bytes[16 + l] & 1 << part ? 16 : 0;
      y.push_back(d * scale * (low + high) - m * minimum);
    }
  }
  return y;
}

inline std::vector<double> naive_q6_k(const std::uint8_t* bytes) {
  const double d = naive_half(bytes + 208);
  std::vector<double> y(256);
  for (int n = 0; n < 2; ++n) {
    const std::uint8_t *ql = bytes + 64 * n, *qh = bytes + 128 + 32 * n, *sc = bytes + 192 + 8 * n;
    for (int l = 0; l < 32; ++l) {
      const int low[] = {ql[l] % 16, ql[l + 32] % 16, ql[l] / 16, ql[l + 32] / 16};
      for (int k = 0; k < 4; ++k) {
        const int q = low[k] + 16 * (qh[l] >> (2 * k) & 3) - 32;
        y[128 * n + 32 * k + l] = d * static_cast<std::int8_t>(sc[2 * k + l / 16]) * q;
      }
    }
  }
  return y;
}

inline std::vector<double> naive_block(StoredType type, const std::uint8_t* bytes) {
  switch (type) {
    case StoredType::kQ4_0: return naive_of_32(bytes, false, false, 8);
    case StoredType::kQ4_1: return naive_of_32(bytes, true, false, 0);
    case StoredType::kQ5_0: return naive_of_32(bytes, false, true, 16);
    case StoredType::kQ5_1: return naive_of_32(bytes, true, true, 0);
    case StoredType::kQ8_0: return naive_q8_0(bytes);
    case StoredType::kQ2K: return naive_q2_k(bytes);
    case StoredType::kQ3K: return naive_q3_k(bytes);
    case StoredType::kQ4K: return naive_q45_k(bytes, false);
    case StoredType::kQ5K: return naive_q45_k(bytes, true);
    case StoredType::kQ6K: return naive_q6_k(bytes);
    default: return {};
  }
}

// Where a block has numbers of binary16.
inline std::vector<int> halves_of(StoredType type) {
  switch (type) {
    case StoredType::kQ4_1:
    case StoredType::kQ5_1:
    case StoredType::kQ4K:
    case StoredType::kQ5K: return {0, 2};
    case StoredType::kQ2K: return {80, 82};
    case StoredType::kQ3K: return {108};
    case StoredType::kQ6K: return {208};
    default: return {0};
  }
}

}  // namespace transformer::testing

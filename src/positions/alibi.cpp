#include "positions/alibi.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace transformer {

namespace {

int checked(int heads) {
  require(heads > 0, "ALiBi needs at least one head, got ", heads);
  return heads;
}

// Rounded to the nearest number with 8 bits of mantissa, of two to the even one.
float as_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u);
}

}  // namespace

Alibi::Alibi(int heads, const AlibiPositions& config, int d_head)
    : heads_(checked(heads)),
      by_position_(config.by_position),
      scale_(static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_head)))) {}

float alibi_slope(int head, int heads) {
  int power = 1;
  while (power <= heads / 2) power *= 2;
  const double exponent = head < power ? -8.0 * (head + 1) / power : -4.0 * (2.0 * (head - power) + 1) / power;
  return static_cast<float>(std::exp2(exponent));
}

Tensor alibi_bias(int heads, int queries, int keys) {
  checked(heads);
  require(queries >= 0 && keys >= 0, "the numbers of queries and keys must not be negative, got ", queries, " and ",
          keys);
  Tensor bias({heads, queries, keys});
  float* out = bias.data();
  for (int head = 0; head < heads && bias.size() > 0; ++head) {
    const float slope = alibi_slope(head, heads);
    for (int query = 0; query < queries; ++query) {
      for (int key = 0; key < keys; ++key) {
        *out++ = slope * static_cast<float>(key - (keys - queries + query));
      }
    }
  }
  return bias;
}

DistanceBias Alibi::score_bias(int /*layer*/, int length, Arena& arena) const {
  if (by_position_) return {};
  const View table = arena.take(heads_, 2 * length + 1);
  for (int head = 0; head < table.rows; ++head) {
    const float slope = alibi_slope(head, heads_);
    for (int distance = -length; distance <= length; ++distance) {
      table.row(head)[distance + length] = slope * static_cast<float>(distance);
    }
  }
  return {table.data + length, table.stride};
}

KeyBias Alibi::key_bias(int length, Arena& arena) const {
  if (!by_position_) return {};
  const View table = arena.take(heads_, length);
  for (int head = 0; head < table.rows; ++head) {
    const float slope = as_bfloat16(alibi_slope(head, heads_));
    for (int key = 0; key < length; ++key) {
      table.row(head)[key] = as_bfloat16(slope * static_cast<float>(key)) * scale_;
    }
  }
  return {table.data, table.stride};
}

}  // namespace transformer

#include "weights/stored_type.h"

#include <cstring>

#include "weights/block_types.h"

namespace transformer {

namespace {

template <class Stored, class Convert>
void convert(std::span<const std::uint8_t> bytes, std::span<float> floats, const Convert& convert_one) {
  for (std::size_t i = 0; i < floats.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    floats[i] = convert_one(stored);
  }
}

// A type of blocks.
struct Blocks {
  StoredBlock size;
  void (*widen)(const std::uint8_t* block, float* to);
};

Blocks blocks_of(StoredType type) {
  switch (type) {
    case StoredType::kQ4_0: return {{32, 18}, widen_q4_0};
    case StoredType::kQ4_1: return {{32, 20}, widen_q4_1};
    case StoredType::kQ5_0: return {{32, 22}, widen_q5_0};
    case StoredType::kQ5_1: return {{32, 24}, widen_q5_1};
    case StoredType::kQ8_0: return {{32, 34}, widen_q8_0};
    case StoredType::kQ2K: return {{256, 84}, widen_q2_k};
    case StoredType::kQ3K: return {{256, 110}, widen_q3_k};
    case StoredType::kQ4K: return {{256, 144}, widen_q4_k};
    case StoredType::kQ5K: return {{256, 176}, widen_q5_k};
    case StoredType::kQ6K: return {{256, 210}, widen_q6_k};
    default: return {};
  }
}

}  // namespace

StoredBlock block_of(StoredType type) {
  switch (type) {
    case StoredType::kF32: return {1, 4};
    case StoredType::kF16:
    case StoredType::kBf16: return {1, 2};
    case StoredType::kF64: return {1, 8};
    case StoredType::kI8: return {1, 1};
    default: return blocks_of(type).size;
  }
}

std::optional<HalfType> half_type(StoredType type) {
  if (type == StoredType::kBf16) return HalfType::kBf16;
  if (type == StoredType::kF16) return HalfType::kF16;
  return std::nullopt;
}

void to_floats(std::span<const std::uint8_t> bytes, StoredType type, std::span<float> floats) {
  switch (type) {
    case StoredType::kF32: return convert<float>(bytes, floats, [](float x) { return x; });
    case StoredType::kF16: return convert<std::uint16_t>(bytes, floats, from_f16);
    case StoredType::kBf16: return convert<std::uint16_t>(bytes, floats, from_bf16);
    case StoredType::kF64: return convert<double>(bytes, floats, [](double x) { return static_cast<float>(x); });
    case StoredType::kI8:
      return convert<std::int8_t>(bytes, floats, [](std::int8_t x) { return static_cast<float>(x); });
    default: break;
  }
  const Blocks blocks = blocks_of(type);
  const std::uint8_t* from = bytes.data();
  for (std::size_t i = 0; i < floats.size(); i += blocks.size.numbers, from += blocks.size.bytes) {
    blocks.widen(from, floats.data() + i);
  }
}

}  // namespace transformer

#include "weights/stored_type.h"

#include <cstring>

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

}  // namespace

std::size_t bytes_of(StoredType type) {
  switch (type) {
    case StoredType::kF32: return 4;
    case StoredType::kF16:
    case StoredType::kBf16: return 2;
    case StoredType::kF64: return 8;
    case StoredType::kI8: return 1;
  }
  return 0;
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
  }
}

}  // namespace transformer

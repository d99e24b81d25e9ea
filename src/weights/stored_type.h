// The number formats of checkpoint files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/half.h"
#include "base/names.h"

namespace transformer {

// Little-endian, with safetensors' names.
enum class StoredType { kF32, kF16, kBf16, kF64, kI8 };

constexpr auto enum_names(StoredType) {
  return std::to_array<Named<StoredType>>({{"F32", StoredType::kF32},
                                           {"F16", StoredType::kF16},
                                           {"BF16", StoredType::kBf16},
                                           {"F64", StoredType::kF64},
                                           {"I8", StoredType::kI8}});
}

std::size_t bytes_of(StoredType type);  // bytes of one number

// The type of numbers in 16 bits.
std::optional<HalfType> half_type(StoredType type);

// Stored numbers as float32; integers as they are, without their scales.
void to_floats(std::span<const std::uint8_t> bytes, StoredType type, std::span<float> floats);

}  // namespace transformer

// The number formats of checkpoint files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/half.h"
#include "base/names.h"

namespace transformer {

// Little-endian, with the names of safetensors, and of GGUF for numbers in blocks.
enum class StoredType { kF32, kF16, kBf16, kF64, kI8, kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ8_0, kQ2K, kQ3K, kQ4K, kQ5K, kQ6K };

constexpr auto enum_names(StoredType) {
  return std::to_array<Named<StoredType>>({{"F32", StoredType::kF32},
                                           {"F16", StoredType::kF16},
                                           {"BF16", StoredType::kBf16},
                                           {"F64", StoredType::kF64},
                                           {"I8", StoredType::kI8},
                                           {"Q4_0", StoredType::kQ4_0},
                                           {"Q4_1", StoredType::kQ4_1},
                                           {"Q5_0", StoredType::kQ5_0},
                                           {"Q5_1", StoredType::kQ5_1},
                                           {"Q8_0", StoredType::kQ8_0},
                                           {"Q2_K", StoredType::kQ2K},
                                           {"Q3_K", StoredType::kQ3K},
                                           {"Q4_K", StoredType::kQ4K},
                                           {"Q5_K", StoredType::kQ5K},
                                           {"Q6_K", StoredType::kQ6K}});
}

// Consecutive numbers that are stored together, and their bytes. At most 256 numbers, a power of two.
struct StoredBlock {
  std::size_t numbers;
  std::size_t bytes;
};

StoredBlock block_of(StoredType type);

// The bytes of that many numbers, which are whole blocks.
inline std::size_t bytes_of(StoredType type, std::size_t numbers = 1) {
  const StoredBlock block = block_of(type);
  return numbers / block.numbers * block.bytes;
}

// The type of numbers in 16 bits.
std::optional<HalfType> half_type(StoredType type);

// Stored numbers as float32; integers as they are, without their scales. floats: whole blocks.
void to_floats(std::span<const std::uint8_t> bytes, StoredType type, std::span<float> floats);

}  // namespace transformer

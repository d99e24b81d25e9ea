// Panels: a factor B [k, n] as bands of a few columns, in the order in which a product reads it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/half.h"
#include "base/tensor.h"

namespace transformer {

// Width of a panel of floating-point numbers in columns: two vectors of the target's vector unit.
#if defined(__AVX512F__)
inline constexpr int kPanel = 32;
#elif defined(__AVX__)
inline constexpr int kPanel = 16;
#else
inline constexpr int kPanel = 8;
#endif

constexpr int panel_count(int cols) { return ceil_div(cols, kPanel); }  // panels that hold `cols` columns

// Panels of kPanel columns, [k, kPanel] each; panel p starts at first + p * stride. Like the others below, a view of
// what a matrix or a cache owns.
struct Panels {
  const float* first;
  std::ptrdiff_t stride;
};

// The same in 16 bits.
struct HalfPanels {
  const std::uint16_t* first;
  std::ptrdiff_t stride;
  HalfCode code;
};

// Width of a panel of integers in columns.
inline constexpr int kIntegerPanel = 8;

// The number of adjacent k that a product with weights of 8 bits sums in one lane, by the vector unit's dot product
// instruction.
enum class DotGroup { kPairs = 2, kQuads = 4 };

constexpr int size_of(DotGroup group) { return static_cast<int>(group); }

// Integers q from -127 to 127, in panels [k / group, kIntegerPanel, group], with a scale for each column. The last
// panel and the last group are padded with zeros.
struct BytePanels {
  const std::int8_t* first;
  std::ptrdiff_t stride;  // bytes from panel to panel
  int groups;             // per column, including a partial last one
  DotGroup group;
  const float* scales;       // [columns of all panels]
  const std::int32_t* sums;  // [columns of all panels]: of the integers of each column
};

// Adjacent k of a column of 4-bit integers that share a scale.
inline constexpr int kNibbleGroup = 32;

// The bytes of a group of a panel's columns: first the integers, then the scales in 16 bits.
inline constexpr int kNibbleScalesAt = kIntegerPanel * kNibbleGroup / 2;
inline constexpr int kNibbleBlock = kNibbleScalesAt + kIntegerPanel * 2;

// Integers q from -8 to 7 with a scale for each group of each column. A panel is stored group by group, so that a
// product reads one stream. An integer is stored as q + 8. A group is stored as [k / 8, kIntegerPanel, k % 4]; a byte
// holds two integers, 4 k apart: k % 8 < 4 in its lower half, the others in its upper one. The last panel and the last
// group are padded.
struct NibblePanels {
  const std::uint8_t* first;
  std::ptrdiff_t stride;  // bytes from panel to panel
  int groups;             // per column
  HalfCode code;          // of the scales
};

}  // namespace transformer

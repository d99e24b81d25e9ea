// Matrices of integers of 4 bits, eight in a word of 32, as GPTQ, AutoAWQ and compressed-tensors ("pack-quantized")
// store them, with a scale and perhaps a zero point for each group of inputs: (q - zero) * scale.
//
//   kCompressed  integers [out, in / 8], scales [out, groups], zeros [out / 8, groups], order [in]; if transposed,
//   which
//                is this package's own, integers [in / 8, out] and scales [groups, out]
//   kGptq        integers [in / 8, out], scales [groups, out], zeros [groups, out / 8] minus 1, order [in]
//   kGptqV2      the same with the zeros as they are
//   kAwq         integers [in, out / 8], scales [groups, out], zeros [groups, out / 8]; both interleaved
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/fields.h"
#include "matrices/matrix.h"
#include "weights/stored_type.h"

namespace transformer {

enum class PackedKind { kCompressed, kGptq, kGptqV2, kAwq };

constexpr auto enum_names(PackedKind) {
  return std::to_array<Named<PackedKind>>({{"compressed", PackedKind::kCompressed},
                                           {"gptq", PackedKind::kGptq},
                                           {"gptq_v2", PackedKind::kGptqV2},
                                           {"awq", PackedKind::kAwq}});
}

struct PackedLayout {
  PackedKind kind = PackedKind::kCompressed;
  bool transposed = false;    // for kCompressed, see above
  bool inputs_first = false;  // whether the matrix is wanted as [in, out], not as [out, in]
  int inputs = 0;
  int outputs = 0;
  int group_size = 0;                        // inputs that share a scale, where no order gives the group of each
  StoredType scale_type = StoredType::kF16;  // of floats
  // The names of the parts; zeros: none if the zero point is always 8; order: none if groups are neighbours.
  std::string integers;
  std::string scales;
  std::string zeros;
  std::string order;
  std::string shape;  // what the file says that it is, two integers
};

constexpr auto fields_of(const PackedLayout*) {
  return std::tuple{Field{"kind", &PackedLayout::kind},
                    Field{"transposed", &PackedLayout::transposed},
                    Field{"inputsFirst", &PackedLayout::inputs_first},
                    Field{"inputs", &PackedLayout::inputs},
                    Field{"outputs", &PackedLayout::outputs},
                    Field{"groupSize", &PackedLayout::group_size},
                    Field{"scaleType", &PackedLayout::scale_type},
                    Field{"integers", &PackedLayout::integers},
                    Field{"scales", &PackedLayout::scales},
                    Field{"zeros", &PackedLayout::zeros},
                    Field{"order", &PackedLayout::order},
                    Field{"shape", &PackedLayout::shape}};
}

// A part that is read before it is used.
struct HeldBytes {
  std::vector<std::uint8_t> bytes;
  std::size_t written = 0;
};

// The bytes of the parts; those that a matrix has not are empty.
struct PackedParts {
  std::span<const std::uint8_t> integers;
  std::span<const std::uint8_t> scales;
  std::span<const std::uint8_t> zeros;
  std::span<const std::uint8_t> order;  // these integers have 32 or 64 bits
  std::span<const std::uint8_t> shape;
};

// Reads the rows of such a matrix, a view of its parts.
class PackedWords {
 public:
  // invalid_argument for parts of other sizes; bad_checkpoint for scales that are not finite, or groups that do not
  // exist: the message names the part.
  PackedWords(const PackedLayout& layout, const PackedParts& parts);

  int rows() const { return layout_.inputs_first ? layout_.inputs : layout_.outputs; }
  int cols() const { return layout_.inputs_first ? layout_.outputs : layout_.inputs; }

  // A row as float32, exact for scales of 16 bits.
  void copy_row(int row, float* out) const;

  // Whether it is made of groups of 32 inputs, or a multiple of them, with the zero point 8 and scales of 16 bits.
  bool has_nibble_groups() const;
  // One of those of an output.
  NibbleRun nibble_group(int output, int group) const;

 private:
  struct Affine {
    float scale;
    int zero;
  };

  void require_sizes() const;
  void require_shape() const;
  void require_scales() const;
  void read_groups();

  bool is_transposed() const;
  // The integers of an output's inputs from the first on.
  void copy_integers(int output, int first, int count, std::uint8_t* to) const;
  std::size_t scale_place(int output, int group) const;
  Affine affine(int output, int group) const;
  int group_count() const;

  PackedLayout layout_;
  PackedParts parts_;
  std::vector<int> groups_;  // of each input
};

}  // namespace transformer

// Rotary position embedding: rotates queries and keys by angles proportional to their position (Su et al. 2021, eq.
// 15).
#pragma once

#include <vector>

#include "base/fields.h"
#include "base/names.h"
#include "positions/position_scheme.h"

namespace transformer {

// Which two numbers of a head form a pair: adjacent ones (the paper), or one from each half (GPT-NeoX, Llama).
enum class RotaryLayout { kInterleaved, kHalves };

constexpr auto enum_names(RotaryLayout) {
  return std::to_array<Named<RotaryLayout>>(
      {{"interleaved", RotaryLayout::kInterleaved}, {"halves", RotaryLayout::kHalves}});
}

struct RotaryPositions {
  static constexpr const char* kName = "rotary";

  int max_length = 0;
  RotaryLayout layout = RotaryLayout::kHalves;
  double base = kWavelengthBase;
  // Of each pair, in radians per position, in place of base^(-2i/d_head). Fewer than d_head / 2 rotate only the first
  // numbers of each head.
  std::vector<double> frequencies = {};
  // Sequences longer than this raise the base by dynamic_factor ("dynamic NTK", as in Llama's rope_scaling); 0: none
  // do.
  int dynamic_length = 0;
  double dynamic_factor = 1.0;
  // Of sequences longer than dynamic_length, in place of `frequencies` and of another base ("longrope": Ding et al.
  // 2024).
  std::vector<double> long_frequencies = {};
  double scale = 1.0;  // of the rotated numbers, whatever the length (YaRN: Peng et al. 2023, section 3.4)
  // The tokens of a sequence form a grid, in whose rows and columns their positions are the centres of cells between -1
  // and 1: half of the pairs, and the frequencies, are for the row, the other half for the column (Simeoni et al. 2025:
  // DINOv3). The first `prefix` tokens are not in the grid, and stay as they are.
  bool axial = false;
  int prefix = 0;
};

constexpr auto fields_of(const RotaryPositions*) {
  return std::tuple{Field{"maxLength", &RotaryPositions::max_length},
                    Field{"layout", &RotaryPositions::layout},
                    Field{"base", &RotaryPositions::base},
                    Field{"frequencies", &RotaryPositions::frequencies},
                    Field{"dynamicLength", &RotaryPositions::dynamic_length},
                    Field{"dynamicFactor", &RotaryPositions::dynamic_factor},
                    Field{"longFrequencies", &RotaryPositions::long_frequencies},
                    Field{"scale", &RotaryPositions::scale},
                    Field{"axial", &RotaryPositions::axial},
                    Field{"prefix", &RotaryPositions::prefix}};
}

class Rotary : public PositionScheme {
 public:
  // The angle of pair i is position * base^(-2i/d_head), computed in double precision. d_head must be even.
  Rotary(int d_head, const RotaryPositions& config);

  int max_length() const override { return angles_.max_length(); }

  // A base that depends on the sequence's length is that of the tokens so far: cached keys keep their angles.
  void rotate(View x, int first, int columns = 0) const override;
  bool depends_on_length() const override { return config_.dynamic_length > 0 || config_.axial; }

 private:
  // Of all tokens of a grid, [time, 2 * pairs]; valid until the next call.
  ConstView grid_angles(int time, int columns) const;

  RotaryPositions config_;
  int d_head_;
  PositionTable angles_;       // [max_length, 2 * pairs]: cosines, then sines
  PositionTable long_angles_;  // of sequences longer than dynamic_length, or without columns
  mutable Tensor grid_;        // the angles of the last grid
  mutable int grid_columns_ = 0;
};

// x [..., time, d_head] with the rows rotated for the positions offset, offset + 1, ...; ignores the config's
// max_length.
Tensor rotated(Tensor x, int offset, const RotaryPositions& config);

}  // namespace transformer

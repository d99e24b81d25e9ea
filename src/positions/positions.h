// All position schemes. A new one is a file in this room and a line here.
#pragma once

#include <memory>
#include <variant>

#include "base/fields.h"
#include "positions/alibi.h"
#include "positions/disentangled.h"
#include "positions/learned.h"
#include "positions/relative.h"
#include "positions/rotary.h"
#include "positions/sinusoidal.h"

namespace transformer {

struct NoPositions {
  static constexpr const char* kName = "none";
};

constexpr auto fields_of(const NoPositions*) { return std::tuple{}; }

// The config of a scheme: one struct per scheme.
using Positions = std::variant<NoPositions, SinusoidalPositions, LearnedPositions, RotaryPositions, AlibiPositions,
                               RelativePositions, DisentangledPositions>;

// scope: positions (learned, disentangled), relative_bias (relative). invalid_argument for a max_length that is not
// positive.
std::shared_ptr<const PositionScheme> make_positions(const Positions& config, const WeightScope& scope,
                                                     const StackShape& stack);

}  // namespace transformer

// The position schemes there are. A new one is a file of this room and a line here.
#pragma once

#include <memory>
#include <variant>

#include "positions/alibi.h"
#include "positions/learned.h"
#include "positions/relative.h"
#include "positions/rotary.h"
#include "positions/sinusoidal.h"

namespace transformer {

struct NoPositions {
  static constexpr const char* kName = "none";
};

// A scheme as a config describes it, each with its own fields.
using Positions = std::variant<NoPositions, SinusoidalPositions, LearnedPositions, RotaryPositions, AlibiPositions,
                               RelativePositions>;

// scope: positions (learned), relative_bias (relative). invalid_argument for a table of no positions.
std::shared_ptr<const PositionScheme> make_positions(const Positions& config, const WeightScope& scope,
                                                     const StackShape& stack);

}  // namespace transformer

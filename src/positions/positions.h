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

// Vectors that a stack adds to its input beside its scheme, one for each position. scope: weight [max_length, width].
std::shared_ptr<const PositionScheme> make_input_positions(const WeightScope& scope, int width, int max_length);

// Whether a scheme does nothing but rotate queries and keys: a stack can have another one in some of its layers.
bool only_rotates(const Positions& config);

// The length of the shortest sequence of vectors. Tokens that form a grid are at least one cell and what precedes it.
int shortest_length(const Positions& config);

}  // namespace transformer

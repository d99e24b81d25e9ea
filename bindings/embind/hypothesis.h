// A sequence with its scores, as JavaScript gets it.
#pragma once

#include <tuple>

#include "generation/search.h"
#include "js.h"
#include "tensors.h"

namespace transformer::bindings {

struct JsHypothesis {
  JsIds ids;
  float score = 0;
  JsFloats token_scores;

  JsHypothesis() = default;
  explicit JsHypothesis(const Hypothesis& own) : ids(own.ids), score(own.score), token_scores(own.token_scores) {}
};

constexpr auto fields_of(const JsHypothesis*) {
  return std::tuple{Field{"ids", &JsHypothesis::ids}, Field{"score", &JsHypothesis::score},
                    Field{"tokenScores", &JsHypothesis::token_scores}};
}

}  // namespace transformer::bindings

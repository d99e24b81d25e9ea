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
  JsIds top_ids;  // of each token, as many as the options ask for; -1: fewer could be chosen
  JsFloats top_scores;

  JsHypothesis() = default;
  explicit JsHypothesis(const Hypothesis& own)
      : ids(own.ids),
        score(own.score),
        token_scores(own.token_scores),
        top_ids(own.top_ids),
        top_scores(own.top_scores) {}
};

constexpr auto fields_of(const JsHypothesis*) {
  return std::tuple{Field{"ids", &JsHypothesis::ids}, Field{"score", &JsHypothesis::score},
                    Field{"tokenScores", &JsHypothesis::token_scores}, Field{"topIds", &JsHypothesis::top_ids},
                    Field{"topScores", &JsHypothesis::top_scores}};
}

}  // namespace transformer::bindings

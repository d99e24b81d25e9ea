// One vector for a text, from those of its tokens, as in sentence-transformers (Reimers and Gurevych 2019).
#pragma once

#include <vector>

#include "base/segments.h"
#include "transformer/output_head.h"

namespace transformer {

// The first vector, the greatest numbers, the mean, the sum divided by the root of the count, or the last vector.
enum class Pooling { kCls, kMax, kMean, kMeanSqrtLen, kLastToken };

constexpr auto enum_names(Pooling) {
  return std::to_array<Named<Pooling>>({{"cls", Pooling::kCls},
                                        {"max", Pooling::kMax},
                                        {"mean", Pooling::kMean},
                                        {"mean_sqrt_len", Pooling::kMeanSqrtLen},
                                        {"lasttoken", Pooling::kLastToken}});
}

struct SentenceCall {
  std::vector<Pooling> pooling;  // several are side by side; empty: what the head gives is the vector
  int skipped = 0;               // tokens at the beginning that do not count, if others do
  bool unit_steps = false;  // whether the steps to length 1 are made; without steps, the pooled vector is brought to it
  int dimensions = 0;       // how many of the numbers are kept, the first ones; 0: all
  bool unit = false;        // whether these are brought to length 1

  bool pools() const { return !pooling.empty(); }
  bool shortens() const { return dimensions > 0 || unit; }
};

constexpr auto fields_of(const SentenceCall*) {
  return std::tuple{Field{"pooling", &SentenceCall::pooling}, Field{"skipped", &SentenceCall::skipped},
                    Field{"unitSteps", &SentenceCall::unit_steps}, Field{"dimensions", &SentenceCall::dimensions},
                    Field{"unit", &SentenceCall::unit}};
}

// The first `dimensions` of each row, at length 1 if wanted.
Tensor shortened(Tensor vectors, const SentenceCall& call);

// The states of texts, and how many of each text count.
struct TextStates {
  ConstView states;
  Segments texts;
  const std::vector<int>& lengths;
};

// -> [texts, width]. steps: what follows the pooling, or null. invalid_argument for a text without tokens, and where
// the steps take another width.
Tensor pool_sentences(const TextStates& from, const OutputHead* steps, const SentenceCall& call, Workspace& workspace);

}  // namespace transformer

#include "transformer/sentence_pooling.h"

#include <algorithm>
#include <cmath>

#include "kernels/elementwise.h"
#include "layers/contrast.h"

namespace transformer {

namespace {

// tokens [count, width], at least one -> out [width]
void pool(ConstView tokens, Pooling way, float* out) {
  const int width = tokens.cols;
  std::copy_n(tokens.row(way == Pooling::kLastToken ? tokens.rows - 1 : 0), width, out);
  if (way == Pooling::kCls || way == Pooling::kLastToken) return;
  for (int row = 1; row < tokens.rows; ++row) {
    const float* x = tokens.row(row);
    if (way == Pooling::kMax) {
      std::transform(x, x + width, out, out, [](float a, float b) { return std::max(a, b); });
    } else {
      add_row(x, out, width);
    }
  }
  const auto count = static_cast<float>(tokens.rows);
  if (way == Pooling::kMean) divide_row(out, out, width, count);
  if (way == Pooling::kMeanSqrtLen) divide_row(out, out, width, std::sqrt(count));
}

}  // namespace

Tensor shortened(Tensor vectors, const SentenceCall& call) {
  if (call.dimensions > 0 && call.dimensions < vectors.axis(1)) {
    Tensor kept({vectors.axis(0), call.dimensions});
    for (int row = 0; row < kept.axis(0); ++row)
      std::copy_n(vectors.matrix().row(row), call.dimensions, kept.matrix().row(row));
    vectors = std::move(kept);
  }
  if (call.unit) to_unit_rows(vectors.matrix(), vectors.matrix());
  return vectors;
}

Tensor pool_sentences(const TextStates& from, const OutputHead* steps, const SentenceCall& call, Workspace& workspace) {
  const auto& [states, texts, lengths] = from;
  const PathScope part(workspace, "sentence");
  const int ways = count_of(call.pooling);
  Tensor vectors({texts.batch, ways * states.cols});
  for (int text = 0; text < texts.batch; ++text) {
    require(lengths[text] > 0, "text ", text, " has no token to pool");
    const int begin = std::min(call.skipped, lengths[text] - 1);
    const ConstView tokens = states.row_range(texts.first(text) + begin, lengths[text] - begin);
    for (int way = 0; way < ways; ++way)
      pool(tokens, call.pooling[way], vectors.matrix().row(text) + way * states.cols);
  }
  if (steps) {
    require(steps->in_features() == ways * states.cols, "what follows the pooling takes ", steps->in_features(),
            " numbers, but the pooling gives ", ways * states.cols);
    Tensor made({texts.batch, steps->out_features()});
    steps->forward(vectors.matrix(), made.matrix(), workspace, call.unit_steps);
    vectors = std::move(made);
  } else if (call.unit_steps) {
    to_unit_rows(vectors.matrix(), vectors.matrix());
  }
  return shortened(std::move(vectors), call);
}

}  // namespace transformer

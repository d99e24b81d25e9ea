#include "recurrent/alignment.h"

#include <algorithm>

#include "attention/luong.h"
#include "kernels/activation.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"

namespace transformer {

Alignment::Alignment(const WeightScope& scope, const AlignmentConfig& config) : config_(config) {
  const bool has_tanh = config.score == AlignmentScore::kConcat || config.window > 0;
  require(!has_tanh || config.d_attention > 0, "dAttention must be positive, got ", config.d_attention);
  require(config.window >= 0, "a window of local attention cannot be negative, got ", config.window);
  switch (config.score) {
    case AlignmentScore::kDot:
      require(config.query_size == config.key_size, "the score 'dot' needs states of one width, got ",
              config.query_size, " of the decoder and ", config.key_size, " of the encoder");
      break;
    case AlignmentScore::kGeneral: key_.emplace(scope / "W", config.key_size, config.query_size, false); break;
    case AlignmentScore::kConcat:
      query_.emplace(scope / "Ws", config.query_size, config.d_attention, false);
      key_.emplace(scope / "Wh", config.key_size, config.d_attention, false);
      v_ = scope.take("v", {config.d_attention});
      break;
    case AlignmentScore::kNone:
      require(config.window == 0, "without a score there is no window, got ", config.window);
      break;
  }
  if (config.window > 0) {
    center_.emplace(scope / "Wp", config.query_size, config.d_attention, false);
    center_v_ = scope.take("vp", {config.d_attention});
  }
}

int Alignment::keys_size() const { return key_ ? key_->out_features() : config_.key_size; }

void Alignment::project_keys(ConstView states, View keys, Workspace& workspace) const {
  if (key_) return key_->forward(states, keys, workspace);
  for (int row = 0; row < states.rows; ++row) std::copy_n(states.row(row), states.cols, keys.row(row));
}

void Alignment::find_centers(ConstView queries, const AlignmentMemory& memory, View centers,
                             Workspace& workspace) const {
  const View inner = workspace.arena.take(queries.rows, config_.d_attention);
  center_->forward(queries, inner, workspace, Activation::kTanh);
  for (int row = 0; row < queries.rows; ++row) {
    *centers.row(row) = dot(center_v_.data(), inner.row(row), config_.d_attention);
  }
  activate(Activation::kSigmoid, centers);
  const int queries_each = queries.rows / static_cast<int>(memory.lengths.size());
  for (int row = 0; row < queries.rows; ++row) {
    *centers.row(row) *= static_cast<float>(memory.lengths[static_cast<std::size_t>(row / queries_each)]);
  }
}

void Alignment::take_ends(const AlignmentMemory& memory, const AlignmentResult& result) const {
  const int queries_each = result.context.rows / static_cast<int>(memory.lengths.size());
  const int size = config_.query_size;
  for (int row = 0; row < result.context.rows; ++row) {
    const int sentence = row / queries_each, first = sentence * memory.time;
    const int length = memory.lengths[static_cast<std::size_t>(sentence)];
    float* context = result.context.row(row);
    std::fill_n(result.weights.row(row), memory.time, 0.0f);
    std::fill_n(context, config_.key_size, 0.0f);
    if (length == 0) continue;
    std::copy_n(memory.states.row(first + length - 1), size, context);
    std::copy_n(memory.states.row(first) + size, config_.key_size - size, context + size);
  }
}

void Alignment::forward(ConstView queries, const AlignmentMemory& memory, const AlignmentResult& result,
                        Workspace& workspace) const {
  const Arena::Scope scratch(workspace.arena);
  if (queries.rows == 0) return;
  if (config_.score == AlignmentScore::kNone) return take_ends(memory, result);
  if (center_) find_centers(queries, memory, result.centers, workspace);
  const int width = keys_size();
  View projected;
  if (query_) {
    projected = workspace.arena.take(queries.rows, width);
    query_->forward(queries, projected, workspace);
  }
  const View inner = workspace.arena.take(workspace.threads.size(), width);
  const int queries_each = queries.rows / static_cast<int>(memory.lengths.size());
  const double products = 1.0 * queries.rows * memory.time * (width + config_.key_size);
  workspace.count({.flops = 2 * products, .state_bytes = products * sizeof(float)});
  const double work = (query_ ? kTanhWork : 1) * products;
  workspace.threads.parallel_for(queries.rows, work, [&](int row, int thread) {
    const int sentence = row / queries_each;
    const int length = memory.lengths[static_cast<std::size_t>(sentence)];
    const View weights = result.weights.row_range(row, 1);
    for (int j = 0; j < length; ++j) {
      const float* key = memory.keys.row(sentence * memory.time + j);
      if (query_) {
        tanh_of_sum(projected.row(row), key, inner.row(thread), width);
        weights.data[j] = dot(v_.data(), inner.row(thread), width);
      } else {
        weights.data[j] = dot(queries.row(row), key, width);
      }
    }
    std::fill_n(weights.data + length, memory.time - length, kForbidden);
    if (center_) mask_outside_window(result.centers.row(row), static_cast<float>(config_.window), weights);
    softmax(weights, weights);
    if (center_) favour_center(result.centers.row(row), static_cast<float>(config_.window), weights);
    float* context = result.context.row(row);
    std::fill_n(context, config_.key_size, 0.0f);
    for (int j = 0; j < length; ++j) {
      add_scaled_row(memory.states.row(sentence * memory.time + j), weights.data[j], context, config_.key_size);
    }
  });
}

}  // namespace transformer

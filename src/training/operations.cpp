#include "training/operations.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/activation_gradient.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "training/products.h"

namespace transformer::training {

Value embed(Tape& tape, Parameter& table, std::span<const int> ids, float scale) {
  const Value rows = table.as_value();
  const Value y = tape.make(count_of(ids), rows.x.cols);
  for (int row = 0; row < y.x.rows; ++row) {
    const int id = ids[static_cast<std::size_t>(row)];
    require(id >= 0 && id < rows.x.rows, "token id ", id, " is outside of the vocabulary of ", rows.x.rows);
    scale_row(rows.x.row(id), y.x.row(row), y.x.cols, scale);
  }
  tape.on_way_back([=] {
    for (int row = 0; row < y.x.rows; ++row) {
      add_scaled_row(y.gradient.row(row), scale, rows.gradient.row(ids[static_cast<std::size_t>(row)]), y.x.cols);
    }
  });
  return y;
}

Value linear(Tape& tape, Value x, Parameter& weight, Parameter* bias) {
  const Value w = weight.as_value();
  const Value b = bias ? bias->as_value() : Value{};
  const Value y = tape.make(x.x.rows, w.x.rows);
  const Scratch scratch = {tape.arena(), tape.threads()};
  multiply_transposed(x.x, w.x, y.x, scratch);
  for (int row = 0; bias && row < y.x.rows; ++row) add_row(b.x.data, y.x.row(row), y.x.cols);
  tape.on_way_back([=] {
    const Arena::Scope scope(scratch.arena);
    if (x.gradient.data) {
      const View change = scratch.arena.take(x.x.rows, x.x.cols);
      multiply(y.gradient, w.x, change, scratch);
      add_to(x.gradient, change);
    }
    const View change = scratch.arena.take(w.x.rows, w.x.cols);
    transposed_multiply(y.gradient, x.x, change, scratch);
    add_to(w.gradient, change);
    for (int row = 0; b.gradient.data && row < y.x.rows; ++row) {
      add_row(y.gradient.row(row), b.gradient.data, y.x.cols);
    }
  });
  return y;
}

Value activate(Tape& tape, Value x, Activation activation) {
  const Value y = tape.make(x.x.rows, x.x.cols);
  copy_rows(x.x, y.x);
  transformer::activate(activation, y.x);
  tape.on_way_back([=] {
    activate_backward(activation, x.x, y.gradient);
    add_to(x.gradient, y.gradient);
  });
  return y;
}

Value multiply(Tape& tape, Value a, Value b) {
  const Value y = tape.make(a.x.rows, a.x.cols);
  copy_rows(a.x, y.x);
  for (int row = 0; row < y.x.rows; ++row) multiply_row(b.x.row(row), y.x.row(row), y.x.cols);
  tape.on_way_back([=, &arena = tape.arena()] {
    const Arena::Scope scope(arena);
    const View change = arena.take(1, y.x.cols);
    for (int row = 0; row < y.x.rows; ++row) {
      for (const auto& [to, other] : {std::pair{a, b}, std::pair{b, a}}) {
        copy_rows(y.gradient.row_range(row, 1), change);
        multiply_row(other.x.row(row), change.data, y.x.cols);
        add_row(change.data, to.gradient.row(row), y.x.cols);
      }
    }
  });
  return y;
}

Value add(Tape& tape, Value a, Value b, float factor) {
  const Value y = tape.make(a.x.rows, a.x.cols);
  copy_rows(a.x, y.x);
  add_to(y.x, b.x, factor);
  tape.on_way_back([=] {
    add_to(a.gradient, y.gradient);
    add_to(b.gradient, y.gradient, factor);
  });
  return y;
}

Value scale(Tape& tape, Value x, float factor) {
  if (factor == 1.0f) return x;
  const Value y = tape.make(x.x.rows, x.x.cols);
  for (int row = 0; row < y.x.rows; ++row) scale_row(x.x.row(row), y.x.row(row), y.x.cols, factor);
  tape.on_way_back([=] { add_to(x.gradient, y.gradient, factor); });
  return y;
}

namespace {

// The second number of each rotated pair changes its sign: a rotation between two of these turns back.
void flip_seconds(View x, const Rotation& rotation) {
  const RotaryPositions& config = rotation.config;
  const int d_head = rotation.d_head;
  const int pairs = config.frequencies.empty() ? d_head / 2 : count_of(config.frequencies);
  const bool interleaved = config.layout == RotaryLayout::kInterleaved;
  for (int row = 0; row < x.rows; ++row) {
    for (float* head = x.row(row); head < x.row(row) + x.cols; head += d_head) {
      for (int pair = 0; pair < pairs; ++pair) {
        float& second = head[interleaved ? 2 * pair + 1 : pairs + pair];
        second = -second;
      }
    }
  }
}

}  // namespace

Value rotate(Tape& tape, Value x, const Rotation& rotation, const Segments& tokens) {
  const Value y = tape.make(x.x.rows, x.x.cols);
  const auto rotate_all = [=, &rotation](View rows) {
    for (int row = 0; row < tokens.batch; ++row) {
      rotation.rotary.rotate(rows.row_range(tokens.first(row), tokens.length(row)), 0);
    }
  };
  copy_rows(x.x, y.x);
  rotate_all(y.x);
  tape.on_way_back([=, &rotation] {
    flip_seconds(y.gradient, rotation);
    rotate_all(y.gradient);
    flip_seconds(y.gradient, rotation);
    add_to(x.gradient, y.gradient);
  });
  return y;
}

Value add_positions(Tape& tape, Value x, Value table, const Segments& tokens) {
  const Value y = tape.make(x.x.rows, x.x.cols);
  copy_rows(x.x, y.x);
  const auto for_each_sequence = [=](const auto& work) {
    for (int row = 0; row < tokens.batch; ++row) work(tokens.first(row), tokens.length(row));
  };
  for_each_sequence([&](int first, int length) { add_to(y.x.row_range(first, length), table.x.row_range(0, length)); });
  tape.on_way_back([=] {
    add_to(x.gradient, y.gradient);
    if (!table.gradient.data) return;
    for_each_sequence([&](int first, int length) {
      add_to(table.gradient.row_range(0, length), y.gradient.row_range(first, length));
    });
  });
  return y;
}

Value with_width(Value x, int width) {
  const auto reshaped = [&](View view) {
    return view.data ? View{view.data, static_cast<int>(std::int64_t{view.rows} * view.cols / width), width, width}
                     : view;
  };
  return {reshaped(x.x), reshaped(x.gradient)};
}

Loss cross_entropy(Tape& tape, Value logits, std::span<const int> targets, float smoothing) {
  const int vocab = logits.x.cols;
  Loss loss;
  const Arena::Scope scope(tape.arena());
  const View log = tape.arena().take(1, vocab);
  double sum = 0;
  for (int row = 0; row < logits.x.rows; ++row) {
    const int target = targets[static_cast<std::size_t>(row)];
    if (target < 0) continue;
    require(target < vocab, "the target ", target, " is outside of the vocabulary of ", vocab);
    log_softmax(logits.x.row_range(row, 1), log);
    double all = 0;
    for (int id = 0; smoothing > 0 && id < vocab; ++id) all += log.data[id];
    sum -= (1.0 - smoothing) * log.data[target] + smoothing * all / vocab;
    loss.targets += 1;
    loss.correct += std::max_element(log.data, log.data + vocab) == log.data + target ? 1 : 0;
  }
  require(loss.targets > 0, "the batch has no target: all of them are negative, which means that they do not count");
  loss.mean = sum / loss.targets;
  tape.on_way_back([=] {
    const float share = 1.0f / static_cast<float>(loss.targets);
    for (int row = 0; row < logits.x.rows; ++row) {
      const int target = targets[static_cast<std::size_t>(row)];
      if (target < 0) continue;
      float* gradient = logits.gradient.row(row);
      softmax(logits.x.row_range(row, 1), logits.gradient.row_range(row, 1));
      const float even = smoothing / static_cast<float>(vocab);
      for (int id = 0; id < vocab; ++id) gradient[id] = (gradient[id] - even) * share;
      gradient[target] -= (1.0f - smoothing) * share;
    }
  });
  return loss;
}

}  // namespace transformer::training

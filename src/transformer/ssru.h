// The simpler simple recurrent unit: a recurrent layer in place of a decoder's self-attention, whose cost per token
// does not grow with their number (Kim et al. 2019, "From Research to Production and Back: Ludicrously Fast Neural
// Machine Translation", section 3.1; after Lei et al. 2018).
#pragma once

#include <span>
#include <vector>

#include "base/segments.h"
#include "layers/linear.h"

namespace transformer {

// The cells c of one layer: of every row after its last token, and after those before it that can still be forgotten.
class SsruCells {
 public:
  // Tokens that can be forgotten: more than a draft has. Rows that were one have only those after they parted.
  static constexpr int kRemembered = 512;

  SsruCells(int rows, int width) : width_(width), rows_(rows) {}

  int rows() const { return count_of(rows_); }
  int length(int row) const { return rows_[row].length; }  // tokens seen

  // The cells of `count` new tokens [count + 1, width], to be filled; the first one is that before them.
  View extend(int row, int count);

  // Forgets the last `count` tokens of a row, which it must remember.
  void forget(int row, int count);

  // As those of KvCache.
  void reorder(std::span<const int> parents);
  void reserve_for(const SsruCells& other) { rows_.reserve(rows_.size() + other.rows_.size()); }
  void join(SsruCells&& other);

 private:
  struct Row {
    int length = 0;
    std::vector<float> cells = {};  // [tokens, width], the last at the end; empty before the first: c_0 = 0
  };

  int width_;
  std::vector<Row> rows_;
};

class Ssru {
 public:
  // scope: input.weight, forget_gate.weight [d_model, d_model], forget_gate.bias [d_model]
  Ssru(const WeightScope& scope, int d_model);

  // Of `rows` sequences before their first token.
  SsruCells start(int rows) const { return {rows, input_.out_features()}; }

  // x [rows of all sequences, d_model] -> h + residual, for the tokens that follow those of the cells:
  //   f_t = sigma(W_f x_t + b_f), c_t = f_t c_{t-1} + (1 - f_t) W x_t, h_t = relu(c_t)
  // Observable: cells [batch, time, d_model].
  void forward(ConstView x, const Segments& tokens, SsruCells& cells, const ResidualOutput& result,
               Workspace& workspace) const;

 private:
  Linear input_;
  Linear forget_gate_;
};

}  // namespace transformer

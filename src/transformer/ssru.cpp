#include "transformer/ssru.h"

#include <algorithm>
#include <utility>

#include "kernels/activation.h"

namespace transformer {

namespace {

// c <- f c_before + (1 - f) u; all [size]
void next_cell(const float* f, const float* u, const float* before, float* c, int size) {
  for (int i = 0; i < size; ++i) c[i] = f[i] * before[i] + (1.0f - f[i]) * u[i];
}

// out <- relu(c) + residual; all [size]
void read_cell(const float* c, const float* residual, float* out, int size) {
  for (int i = 0; i < size; ++i) out[i] = std::max(c[i], 0.0f) + residual[i];
}

}  // namespace

View SsruCells::extend(int row, int count) {
  auto& [length, cells] = rows_[row];
  if (cells.empty()) cells.resize(width_);
  if (count_of(cells) / width_ > 2 * kRemembered) cells.erase(cells.begin(), cells.end() - kRemembered * width_);
  const std::size_t before = cells.size() - width_;
  cells.resize(cells.size() + std::size_t{1} * count * width_);
  length += count;
  return {cells.data() + before, count + 1, width_, width_};
}

void SsruCells::forget(int row, int count) {
  auto& [length, cells] = rows_[row];
  const std::size_t floats = std::size_t{1} * count * width_;
  require(count == 0 || floats < cells.size(), "the last ", count, " tokens of a sequence are not remembered");
  cells.resize(cells.size() - floats);
  length -= count;
}

void SsruCells::reorder(std::span<const int> parents) {
  std::vector<Row> rows;
  rows.reserve(parents.size());
  for (auto parent = parents.begin(); parent != parents.end(); ++parent) {
    auto& [length, cells] = rows_[*parent];
    // Parents come in any order, so a row moves when nobody after this one continues it.
    const bool is_last = std::find(parent + 1, parents.end(), *parent) == parents.end();
    Row& row = rows.emplace_back(Row{length});
    if (is_last) {
      row.cells = std::move(cells);
    } else if (!cells.empty()) {
      row.cells.assign(cells.end() - width_, cells.end());
    }
  }
  rows_ = std::move(rows);
}

void SsruCells::join(SsruCells&& other) {
  for (Row& row : other.rows_) rows_.push_back(std::move(row));
}

Ssru::Ssru(const WeightScope& scope, int d_model)
    : input_(scope / "input", d_model, d_model, false), forget_gate_(scope / "forget_gate", d_model, d_model, true) {}

void Ssru::forward(ConstView x, const Segments& tokens, SsruCells& cells, const ResidualOutput& result,
                   Workspace& workspace) const {
  const Arena::Scope scope(workspace.arena);
  const View u = workspace.arena.take(x.rows, x.cols), f = workspace.arena.take(x.rows, x.cols);
  Linear::forward_together(x, {{input_, u}, {forget_gate_, f}}, workspace);
  const View zeros = workspace.arena.take(1, x.cols);
  std::fill_n(zeros.data, x.cols, 0.0f);
  const auto residual = [&](int row) { return result.residual.data ? result.residual.row(row) : zeros.data; };
  activate(Activation::kSigmoid, f);
  for (int sequence = 0; sequence < tokens.batch; ++sequence) {
    const View c = cells.extend(sequence, tokens.length(sequence));
    for (int i = 1; i < c.rows; ++i) {
      const int row = tokens.first(sequence) + i - 1;
      next_cell(f.row(row), u.row(row), c.row(i - 1), c.row(i), x.cols);
      read_cell(c.row(i), residual(row), result.out.row(row), x.cols);
      std::copy_n(c.row(i), x.cols, u.row(row));  // to be observed
    }
  }
  workspace.offer("cells", ConstView(u), {tokens.batch, tokens.time, x.cols});
}

}  // namespace transformer

#include "kernels/gemm_together.h"

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/gemm.h"
#include "kernels/gemm_int4.h"
#include "kernels/gemm_int8.h"
#include "kernels/gemm_tasks.h"

namespace transformer {

namespace {

// A in the formats that the products need.
class Rows {
 public:
  Rows(ConstView a, Workspace& workspace) : a_(a), workspace_(workspace) {}

  void prepare(const Matrix& b) {
    if (!is_integer(b)) return;
    std::optional<QuantizedRows>& rows = quantized_[static_cast<int>(format_of(b))];
    if (!rows) rows = quantize_rows(a_, format_of(b), workspace_.arena, workspace_.threads);
  }

  // c = A b for a block of c, which begins at that place.
  void multiply(const Matrix& b, int row, int panel, View c) const {
    if (const PackedMatrix* packed = b.packed()) return gemm_block(a_.row_range(row, c.rows), *packed, panel, c);
    if (const HalfMatrix* half = b.half()) return gemm_block(a_.row_range(row, c.rows), *half, panel, c);
    const QuantizedRows& rows = *quantized_[static_cast<int>(format_of(b))];
    if (const QuantizedMatrix* quantized = b.quantized()) return gemm_block({rows, *quantized, row, panel}, c);
    gemm_block({rows, *b.int4(), row, panel}, c);
  }

  static bool is_integer(const Matrix& b) { return b.quantized() || b.int4(); }

 private:
  static RowFormat format_of(const Matrix& b) {
    return b.quantized() ? row_format(b.quantized()->group()) : RowFormat::kSigned8;
  }

  ConstView a_;
  Workspace& workspace_;
  std::array<std::optional<QuantizedRows>, 3> quantized_;  // by format
};

}  // namespace

void gemm_together(ConstView a, std::span<const RowsProduct> products, Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  Rows rows(a, workspace);
  int tasks = 0;
  // Of the greatest product: what is not worth sharing alone is not shared together. With the sum, a step in 8 bits
  // with d_model 512 took 1.2 times as long on two threads, when both cores had other work.
  double work = 0;
  const auto tasks_of = [threads = workspace.threads.size()](const RowsProduct& product) {
    return ProductTasks(product.c, Rows::is_integer(*product.b) ? kInt8Panel : kPanel, threads);
  };
  for (const RowsProduct& product : products) {
    rows.prepare(*product.b);
    tasks += tasks_of(product).count();
    work = std::max(work, (Rows::is_integer(*product.b) ? kWorkOfIntegers : 1) * a.elements() * product.c.cols);
  }
  workspace.threads.parallel_for(tasks, work, [&](int task, int) {
    const RowsProduct* product = products.data();
    for (int count; task >= (count = tasks_of(*product).count()); ++product) task -= count;
    const ProductTasks blocks = tasks_of(*product);
    blocks.run(task, [&](int row, int panel, View block) {
      rows.multiply(*product->b, row, panel, block);
      finish(block, row, panel * blocks.panel_width(), product->epilogue);
    });
  });
}

}  // namespace transformer

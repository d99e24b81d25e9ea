#include "matrices/product.h"

#include <algorithm>

#include "kernels/gemm.h"
#include "matrices/product_rows.h"
#include "matrices/product_tasks.h"

namespace transformer {

void multiply_together(ConstView a, std::span<const RowsProduct> products, Workspace& workspace) {
  const Arena::Scope scope(workspace.arena);
  ProductRows rows(a, workspace.arena, workspace.threads);
  int tasks = 0;
  // Of the greatest product: what is not worth sharing alone is not shared together. With the sum, a step in 8 bits
  // with d_model 512 took 1.2 times as long on two threads, when both cores had other work.
  double work = 0;
  const auto tasks_of = [threads = workspace.threads.size()](const RowsProduct& product) {
    return ProductTasks(product.c, product.b->panel_width(), threads);
  };
  for (const RowsProduct& product : products) {
    product.b->prepare(rows);
    tasks += tasks_of(product).count();
    work = std::max(work, product.b->work() * a.elements() * product.c.cols);
  }
  workspace.threads.parallel_for(tasks, work, [&](int task, int) {
    const RowsProduct* product = products.data();
    for (int count; task >= (count = tasks_of(*product).count()); ++product) task -= count;
    const ProductTasks blocks = tasks_of(*product);
    blocks.run(task, [&](int row, int panel, View block) {
      product->b->multiply(rows, row, panel, block);
      finish(block, row, panel * blocks.panel_width(), product->epilogue);
    });
  });
}

void multiply(ConstView a, const FloatMatrix& b, View c, const Epilogue& epilogue, ThreadPool& threads) {
  const ProductTasks tasks(c, kPanel, threads.size());
  threads.parallel_for(tasks.count(), a.elements() * b.cols(), [&](int task, int) {
    tasks.run(task, [&](int row, int panel, View block) {
      gemm_block(a.row_range(row, block.rows), b.panels(panel), block);
      finish(block, row, panel * kPanel, epilogue);
    });
  });
}

}  // namespace transformer

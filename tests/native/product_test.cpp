// src/matrices/product: the same bits as the products one by one, for any mixture of formats.
#include "matrices/product.h"

#include <gtest/gtest.h>

#include <string>

#include "matrices/half_matrix.h"
#include "matrices/int4_matrix.h"
#include "matrices/int8_matrix.h"
#include "support/bench.h"
#include "support/product.h"
#include "support/random_data.h"

namespace transformer {
namespace {

using namespace testing;

constexpr int kFormats = 6;

std::unique_ptr<Matrix> matrix_of(int format, ConstView w) {
  switch (format) {
    case 0: return std::make_unique<FloatMatrix>(FloatMatrix::from_transposed(w));
    case 1: return std::make_unique<HalfMatrix>(HalfMatrix::from_transposed(w, HalfType::kBf16));
    case 2: return std::make_unique<HalfMatrix>(HalfMatrix::from_transposed(w, HalfType::kF16));
    case 3: return std::make_unique<Int8Matrix>(Int8Matrix::from_transposed(w, DotGroup::kPairs));
    case 4: return std::make_unique<Int8Matrix>(Int8Matrix::from_transposed(w, DotGroup::kQuads));
    default: return std::make_unique<Int4Matrix>(Int4Matrix::from_transposed(w));
  }
}

TEST(ProductTest, GivesTheBitsOfEachProductAlone) {
  Random random(1);
  for (const int threads : {1, 3}) {
    Bench bench(threads);
    for (int round = 0; round < 120; ++round) {
      const int rows = random_int(random, 0, round % 2 ? 3 : 140), k = random_int(random, 1, 90);
      const LooseMatrix a(random, rows, k, 2, 1);
      std::vector<std::unique_ptr<Matrix>> matrices;
      std::vector<std::vector<float>> biases;
      std::vector<std::unique_ptr<LooseMatrix>> outputs;
      const int count = random_int(random, 1, 4);
      const int shared = round % 3 ? random_int(random, 0, kFormats - 1) : -1;  // a format for all
      std::string formats;
      for (int i = 0; i < count; ++i) {
        const int n = random_int(random, 1, round % 5 ? 70 : 300);
        const int format = shared < 0 ? random_int(random, 0, kFormats - 1) : shared;
        formats += std::to_string(format);
        const LooseMatrix w(random, n, k);
        matrices.push_back(matrix_of(format, w.view()));
        biases.push_back(random_int(random, 0, 1) ? random_floats(random, static_cast<std::size_t>(n))
                                                  : std::vector<float>());
        outputs.push_back(std::make_unique<LooseMatrix>(rows, n, 3, 2));
      }
      std::vector<RowsProduct> products;
      for (int i = 0; i < count; ++i)
        products.push_back({matrices[i].get(), outputs[i]->view(), {biases[i].empty() ? nullptr : biases[i].data()}});
      multiply_together(a.view(), products, bench.workspace);
      for (int i = 0; i < count; ++i) {
        const LooseMatrix alone(rows, products[i].c.cols);
        multiply(a.view(), *products[i].b, alone.view(), products[i].epilogue, bench.workspace);
        ASSERT_TRUE(same_bits(products[i].c, alone.view()))
            << "product " << i << " of the formats " << formats << ", " << rows << " rows, k " << k;
        ASSERT_TRUE(outputs[i]->surroundings_untouched());
      }
    }
  }
}

}  // namespace
}  // namespace transformer

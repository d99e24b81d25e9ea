// Products of whole tensors: [..., m, k] times [..., k, n], leading axes broadcast.
#pragma once

#include "base/tensor.h"
#include "base/thread_pool.h"

namespace transformer {

// -> [..., m, n]. invalid_argument for shapes that do not fit.
Tensor matmul(Tensor a, Tensor b, ThreadPool& threads);

}  // namespace transformer

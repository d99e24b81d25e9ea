// The limits of this machine with the instructions of this build: the roofs of a roofline (Williams, Waterman and
// Patterson 2009). Measured, since browsers document neither.
#pragma once

#include <cstddef>

#include "base/thread_pool.h"

namespace transformer {

// Operations per second of multiply-adds in registers, over all threads; a multiply-add counts as two.
double measure_multiply_adds(ThreadPool& threads);

// The same of products with weights of 8 bits, from the nearest cache. Their tiles are as fast as dot products in
// registers alone: see kernels/int8_dot.h.
double measure_integer_products(ThreadPool& threads);

// Bytes per second at which all threads together repeatedly read a buffer of `bytes`, each its share: a small one from
// the cache, a large one from memory.
double measure_reading(std::size_t bytes, ThreadPool& threads);

}  // namespace transformer

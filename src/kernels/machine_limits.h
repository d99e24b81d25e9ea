// How fast anything can be on this machine with the instructions of this build: the two roofs of a roofline (Williams,
// Waterman and Patterson 2009). Measured, since neither is documented of a browser.
#pragma once

#include <cstddef>

#include "base/thread_pool.h"

namespace transformer {

// Operations per second of multiply-adds that never leave the registers, on all threads at once; each counts as two.
double measure_multiply_adds(ThreadPool& threads);

// Bytes per second at which all threads together read a buffer of `bytes`, each its share, over and over: of a small
// one from the cache, of a large one from memory.
double measure_reading(std::size_t bytes, ThreadPool& threads);

}  // namespace transformer

// Everything that a layer needs to run.
#pragma once

#include "base/workspace.h"

namespace transformer::testing {

// Owns threads and scratch memory.
struct Bench {
  explicit Bench(int thread_count = 1, Observer* observer = nullptr, Profiler* profiler = nullptr)
      : threads(thread_count), workspace{arena, threads, observer, profiler} {}

  Arena arena;
  ThreadPool threads;
  Workspace workspace;
};

}  // namespace transformer::testing

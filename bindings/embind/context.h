// One engine: its threads, and the layers that run on them.
#pragma once

#include <memory>

#include "base/workspace.h"
#include "weights/loader.h"

namespace transformer::bindings {

// JavaScript and every layer hold it by shared_ptr, so that they can be released in any order.
struct Context : std::enable_shared_from_this<Context> {
  explicit Context(int thread_count) : threads(thread_count) {}

  ThreadPool threads;
};

// A layer and what it needs to run. Its arena keeps the scratch memory between calls.
template <class Layer>
struct Resident {
  template <class... Args>
  Resident(Context& owner, WeightsLoader& loader, const Args&... args)
      : context(owner.shared_from_this()),
        layer(WeightScope(loader.complete()), args...),
        parameter_count(static_cast<double>(loader.complete().parameters_taken())) {}

  Workspace workspace() { return {arena, context->threads}; }

  std::shared_ptr<Context> context;
  Layer layer;
  double parameter_count;
  Arena arena;
};

}  // namespace transformer::bindings

// One engine: its threads, and what keeps layers alive that run on them.
#pragma once

#include <memory>

#include "base/workspace.h"
#include "weights_input.h"

namespace transformer::bindings {

// JavaScript holds it by shared_ptr and so does every layer: whoever is let go of first, nothing dangles.
struct Context : std::enable_shared_from_this<Context> {
  explicit Context(int thread_count) : threads(thread_count) {}

  ThreadPool threads;
};

std::shared_ptr<Context> make_context(int threads);

// Bytes of the wasm heap in use, and the size of the wasm memory, which only grows.
double heap_bytes(const Context& context);
double memory_bytes(const Context& context);

// Of the products with weights of 8 bits: 7 where the relaxed dot product multiplies, else 16.
int activation_bits(const Context& context);

// A layer with what it needs to run. Its arena keeps the scratch memory between calls and goes with it.
template <class Layer>
struct Resident {
  template <class... Args>
  Resident(Context& owner, WeightsInput& input, const Args&... args)
      : context(owner.shared_from_this()),
        layer(WeightScope(input.complete()), args...),
        parameter_count(input.complete().parameters_taken()) {}

  Workspace workspace(Probe* probe = nullptr) { return {arena, context->threads, probe, {}}; }

  std::shared_ptr<Context> context;
  Layer layer;
  std::size_t parameter_count;
  Arena arena;
};

}  // namespace transformer::bindings

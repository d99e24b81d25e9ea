// What a forward pass borrows: scratch memory and threads; somebody who looks at inner tensors or at the clock; and the
// factors of heads, which are an input, since they change the result.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/profiler.h"
#include "base/tensor.h"
#include "base/thread_pool.h"

namespace transformer {

// Sees inner tensors of a pass. Layers offer what they compute under the path of names that leads to it, for example
// "decoder.layers.1.cross_attn.weights".
class Observer {
 public:
  virtual ~Observer() = default;
  virtual bool wants(std::string_view path) const = 0;
  virtual void record(std::string_view path, Tensor tensor) = 0;
};

// For each attention layer by its path, a factor for the output of each of its heads: 0 switches a head off. A layer
// that is not named keeps its heads as they are.
using HeadFactors = std::map<std::string, std::vector<float>, std::less<>>;

struct Workspace {
  Arena& arena;
  ThreadPool& threads;
  Observer* observer = nullptr;
  Profiler* profiler = nullptr;
  const HeadFactors* head_factors = nullptr;
  std::string path = {};  // of the running layer, kept only while one of the three above asks for it

  bool needs_path() const { return observer || profiler || head_factors; }

  bool wants(std::string_view name) const { return observer && observer->wants(path_of(name)); }
  void record(std::string_view name, Tensor tensor) { observer->record(path_of(name), std::move(tensor)); }

  // Of the running attention layer; empty where none were given.
  std::span<const float> factors_of_heads() const {
    if (!head_factors) return {};
    const auto found = head_factors->find(path);
    return found == head_factors->end() ? std::span<const float>{} : found->second;
  }

  // Tells the profiler what the running part has to do.
  void count(const Work& work) const {
    if (profiler) profiler->count(work);
  }

  // Records a copy of `x` under `shape` if it is wanted.
  void offer(std::string_view name, ConstView x, std::initializer_list<int> shape) {
    if (!wants(name)) return;
    Tensor copy{Shape(shape)};
    float* to = copy.data();
    for (int row = 0; row < x.rows; ++row) to = std::copy_n(x.row(row), x.cols, to);
    record(name, std::move(copy));
  }

 private:
  std::string path_of(std::string_view name) const {
    return path.empty() ? std::string(name) : concat(path, ".", name);
  }
};

// Extends the path while a part of the model runs; one comparison where nobody asks for it.
class PathScope {
 public:
  PathScope(Workspace& workspace, std::string_view name, int index = -1)
      : workspace_(workspace), active_(workspace.needs_path()) {
    if (!active_) return;
    length_ = workspace.path.size();
    if (length_ > 0) workspace.path += '.';
    workspace.path += name;
    if (index >= 0) workspace.path += concat(".", index);
    if (workspace.profiler) workspace.profiler->enter(workspace.path);
  }
  ~PathScope() {
    if (!active_) return;
    if (workspace_.profiler) workspace_.profiler->leave();
    workspace_.path.resize(length_);
  }
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;

 private:
  Workspace& workspace_;
  bool active_;
  std::size_t length_ = 0;
};

}  // namespace transformer

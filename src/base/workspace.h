// What a forward pass is lent: scratch memory, threads and, where somebody looks, a probe.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/tensor.h"
#include "base/thread_pool.h"

namespace transformer {

// What a part of a pass has to do, whatever it takes: an addition and a multiplication are one operation each.
struct Work {
  double flops = 0;
  double weight_bytes = 0;  // read: they pass by once in a pass, so they come from far
  double state_bytes = 0;   // read and written of activations, keys and values, which are near
};

// Somebody who looks at inner tensors or at the clock, and may turn heads down. Layers offer what they compute under
// the path of names that leads to it, for example "decoder.layers.1.cross_attn.weights".
class Probe {
 public:
  virtual ~Probe() = default;
  virtual bool wants(std::string_view path) const = 0;
  virtual void record(std::string_view path, Tensor tensor) = 0;

  // The part of the model at `path` begins, has this much to do, ends. Parts lie inside of each other.
  virtual void enter(std::string_view) {}
  virtual void count(const Work&) {}
  virtual void leave() {}

  // Factors for the heads of the attention layer at `path`, one each, or none: 0 switches a head off.
  virtual std::span<const float> head_factors(std::string_view) const { return {}; }
};

struct Workspace {
  Arena& arena;
  ThreadPool& threads;
  Probe* probe = nullptr;
  std::string path;  // of the layer that runs, kept only while there is a probe

  bool wants(std::string_view name) const { return probe && probe->wants(path_of(name)); }
  void record(std::string_view name, Tensor tensor) { probe->record(path_of(name), std::move(tensor)); }

  std::span<const float> head_factors() const { return probe->head_factors(path); }

  // Says what the part that runs has to do.
  void count(const Work& work) const {
    if (probe) probe->count(work);
  }

  // Records a copy of `x` under `shape` where it is wanted.
  void offer(std::string_view name, ConstView x, std::initializer_list<int> shape) {
    if (!wants(name)) return;
    Tensor copy{Shape(shape)};
    for (int row = 0; row < x.rows; ++row)
      std::copy_n(x.row(row), x.cols, copy.data() + static_cast<std::ptrdiff_t>(row) * x.cols);
    record(name, std::move(copy));
  }

 private:
  std::string path_of(std::string_view name) const {
    return path.empty() ? std::string(name) : concat(path, ".", name);
  }
};

// Deepens the path while a part of the model runs, and says so; costs one comparison where nobody looks.
class ProbeScope {
 public:
  ProbeScope(Workspace& workspace, std::string_view name, int index = -1) : workspace_(workspace) {
    if (!workspace.probe) return;
    length_ = workspace.path.size();
    if (length_ > 0) workspace.path += '.';
    workspace.path += name;
    if (index >= 0) workspace.path += concat(".", index);
    workspace.probe->enter(workspace.path);
  }
  ~ProbeScope() {
    if (!workspace_.probe) return;
    workspace_.probe->leave();
    workspace_.path.resize(length_);
  }
  ProbeScope(const ProbeScope&) = delete;
  ProbeScope& operator=(const ProbeScope&) = delete;

 private:
  Workspace& workspace_;
  std::size_t length_ = 0;
};

}  // namespace transformer

// The things that a forward pass borrows: scratch memory, threads, an optional observer and profiler, and the factors
// of heads and edits, which are inputs, since they change the result.
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

// Records inner tensors of a pass. Layers offer their tensors under paths, for example
// "decoder.layers.1.cross_attn.weights".
class Observer {
 public:
  virtual ~Observer() = default;
  virtual bool wants(std::string_view path) const = 0;
  virtual void record(std::string_view path, Tensor tensor) = 0;
};

// Changes inner tensors of a pass where they are computed, under the paths that an observer sees.
class Editor {
 public:
  virtual ~Editor() = default;
  virtual bool edits(std::string_view path) const = 0;
  // x: the tensor of this shape, all axes but the last as rows
  virtual void edit(std::string_view path, View x, const Shape& shape) = 0;
  // Of a decoder's next tokens: the place of the first one in each sequence. Empty: all tokens of a sequence come at
  // once.
  virtual void start(std::span<const int> first) = 0;
};

// For attention layers, by path, a factor for the output of each head: 0 switches it off. Other layers keep their
// heads unscaled.
using HeadFactors = std::map<std::string, std::vector<float>, std::less<>>;

struct Workspace {
  Arena& arena;
  ThreadPool& threads;
  Observer* observer = nullptr;
  Profiler* profiler = nullptr;
  const HeadFactors* head_factors = nullptr;
  Editor* editor = nullptr;
  std::string path = {};  // of the running layer; kept only if one of the four above needs it
  int batch = 1;          // sequences of the running stack

  bool needs_path() const { return observer || profiler || head_factors || editor; }

  // Whether tensors are needed as a whole, with their padding.
  bool is_watched() const { return observer || editor; }

  bool wants(std::string_view name) const { return observer && observer->wants(path_of(name)); }
  void record(std::string_view name, Tensor tensor) { observer->record(path_of(name), std::move(tensor)); }

  bool edits(std::string_view name) const { return editor && editor->edits(path_of(name)); }
  void edit(std::string_view name, View x, const Shape& shape) {
    if (edits(name)) editor->edit(path_of(name), x, shape);
  }
  void start(std::span<const int> first) {
    if (editor) editor->start(first);
  }

  // The factors of the running attention layer; empty if it has none.
  std::span<const float> factors_of_heads() const {
    if (!head_factors) return {};
    const auto found = head_factors->find(path);
    return found == head_factors->end() ? std::span<const float>{} : found->second;
  }

  // Adds to the work of the running part.
  void count(const Work& work) const {
    if (profiler) profiler->count(work);
  }

  // Edits `x`, of the given shape, and records it.
  void offer(std::string_view name, View x, std::initializer_list<int> shape) {
    if (editor) edit(name, x, shape);
    offer(name, ConstView(x), shape);
  }

  // The same of all tokens of the running stack, whose shape a layer does not know: [batch, time, cols].
  void offer(std::string_view name, View x) {
    const int sequences = x.rows % batch == 0 ? batch : 1;
    offer(name, x, {sequences, x.rows / sequences, x.cols});
  }

  // Records a copy of `x` with the given shape if the observer wants it.
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

// Extends the path while a part of the model runs. Costs one comparison if the path is not needed.
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

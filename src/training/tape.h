// What a pass has computed, in order, so that gradients can be computed in the reverse order (Linnainmaa 1970).
#pragma once

#include <functional>
#include <vector>

#include "base/workspace.h"
#include "training/parameters.h"

namespace transformer::training {

// Lives no longer than the scope of the arena in which it was made.
class Tape {
 public:
  // learns: false for a pass without gradients, which keeps no steps
  Tape(Workspace& workspace, bool learns) : workspace_(workspace), learns_(learns) {}

  Workspace& workspace() const { return workspace_; }
  Arena& arena() const { return workspace_.arena; }
  ThreadPool& threads() const { return workspace_.threads; }
  bool learns() const { return learns_; }

  // A matrix that is not initialised; its gradient is zero.
  Value make(int rows, int cols);

  // step: adds to the gradients of the inputs what follows from the gradient of the output.
  void on_way_back(std::function<void()> step) {
    if (learns_) steps_.push_back(std::move(step));
  }

  // The gradient of the last value must be there.
  void go_back();

 private:
  Workspace& workspace_;
  bool learns_;
  std::vector<std::function<void()>> steps_;
};

// sum <- sum + x, elementwise; nothing if sum is the gradient of a constant.
void add_to(View sum, ConstView x, float factor = 1.0f);

}  // namespace transformer::training

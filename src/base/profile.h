// What the parts of a pass have to do and how long they take: what a roofline is drawn of (Williams, Waterman and
// Patterson 2009).
#pragma once

#include <chrono>
#include <vector>

#include "base/workspace.h"

namespace transformer {

// A probe that looks at the clock. Time belongs to the innermost part that runs, so that the parts add up to the whole;
// what the profile itself takes belongs to nobody.
class Profile : public Probe {
 public:
  struct Part {
    std::string path;
    Work work;
    double seconds = 0;
  };

  bool wants(std::string_view) const override { return false; }
  void record(std::string_view, Tensor) override {}

  void enter(std::string_view path) override;
  void count(const Work& work) override;
  void leave() override;

  // In the order in which they were first entered, each with the sums over all passes.
  const std::vector<Part>& parts() const { return parts_; }
  void clear() { parts_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  // The time since the last look goes to the innermost part.
  void look();

  std::vector<Part> parts_;
  std::vector<std::size_t> entered_;  // the parts that run, the innermost last
  Clock::time_point last_look_;
};

}  // namespace transformer

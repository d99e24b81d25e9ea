// What the parts of a pass have to do and how long they take: what a roofline is drawn from (Williams, Waterman and
// Patterson 2009).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

// The cost of a part, whatever time it takes: an addition and a multiplication are one operation each.
struct Work {
  double flops = 0;
  double weight_bytes = 0;  // read once in a pass, so they come from main memory
  double state_bytes = 0;   // read and written of activations, keys and values, which are in the cache
};

// Time belongs to the innermost part that is running, so the parts add up to the whole; what the profiler itself takes
// belongs to none.
class Profiler {
 public:
  struct Part {
    std::string path;
    Work work;
    double seconds = 0;
  };

  // The part of the model at `path` begins; it has this much to do; it ends. Parts nest.
  void enter(std::string_view path);
  void count(const Work& work);
  void leave();

  // In the order in which they were first entered, each with the sums over all passes.
  const std::vector<Part>& parts() const { return parts_; }
  void clear() { parts_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;

  // Charges the time since the last call to the innermost part.
  void charge();

  std::vector<Part> parts_;
  std::vector<int> entered_;  // the running parts, innermost last
  Clock::time_point charged_until_;
};

}  // namespace transformer

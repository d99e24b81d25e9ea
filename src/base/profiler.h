// The work and the time of each part of a pass: the data of a roofline (Williams, Waterman and Patterson 2009).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

// The work of a part. An addition and a multiplication count as one operation each.
struct Work {
  double flops = 0;
  double weight_bytes = 0;  // of weights, read once per pass, so from main memory
  double state_bytes = 0;   // of activations, keys and values, read or written in the caches
};

// Time counts for the innermost running part, so that the parts add up to the whole. The profiler's own time is left
// out.
class Profiler {
 public:
  struct Part {
    std::string path;
    Work work;
    double seconds = 0;
  };

  // The part at `path` begins; adds to its work; it ends. Parts nest.
  void enter(std::string_view path);
  void count(const Work& work);
  void leave();

  // In the order of their first enter(), with the sums over all passes.
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

#include "base/profiler.h"

#include <algorithm>

namespace transformer {

void Profiler::charge() {
  if (entered_.empty()) return;
  parts_[entered_.back()].seconds += std::chrono::duration<double>(Clock::now() - charged_until_).count();
}

void Profiler::enter(std::string_view path) {
  charge();
  const auto part = std::find_if(parts_.begin(), parts_.end(), [path](const Part& seen) { return seen.path == path; });
  entered_.push_back(static_cast<std::size_t>(part - parts_.begin()));
  if (part == parts_.end()) parts_.push_back({std::string(path), {}, 0});
  charged_until_ = Clock::now();
}

void Profiler::leave() {
  charge();
  entered_.pop_back();
  charged_until_ = Clock::now();
}

void Profiler::count(const Work& work) {
  if (entered_.empty()) return;
  Work& sum = parts_[entered_.back()].work;
  sum.flops += work.flops;
  sum.weight_bytes += work.weight_bytes;
  sum.state_bytes += work.state_bytes;
}

}  // namespace transformer

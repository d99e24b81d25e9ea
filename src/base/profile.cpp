#include "base/profile.h"

#include <algorithm>

namespace transformer {

void Profile::look() {
  if (entered_.empty()) return;
  parts_[entered_.back()].seconds += std::chrono::duration<double>(Clock::now() - last_look_).count();
}

void Profile::enter(std::string_view path) {
  look();
  const auto part = std::find_if(parts_.begin(), parts_.end(), [path](const Part& seen) { return seen.path == path; });
  entered_.push_back(static_cast<std::size_t>(part - parts_.begin()));
  if (part == parts_.end()) parts_.push_back({std::string(path), {}, 0});
  last_look_ = Clock::now();
}

void Profile::leave() {
  look();
  entered_.pop_back();
  last_look_ = Clock::now();
}

void Profile::count(const Work& work) {
  if (entered_.empty()) return;
  Work& sum = parts_[entered_.back()].work;
  sum.flops += work.flops;
  sum.weight_bytes += work.weight_bytes;
  sum.state_bytes += work.state_bytes;
}
}  // namespace transformer

#include "base/profiler.h"

#include "base/tensor.h"

namespace transformer {

void Profiler::charge() {
  if (entered_.empty()) return;
  parts_[entered_.back()].seconds += std::chrono::duration<double>(Clock::now() - charged_until_).count();
}

void Profiler::enter(std::string_view path) {
  charge();
  int part = 0;
  while (part < count_of(parts_) && parts_[part].path != path) ++part;
  if (part == count_of(parts_)) parts_.push_back({std::string(path), {}, 0});
  entered_.push_back(part);
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

#include "training/parameters.h"

#include <algorithm>

#include "weights/initial.h"
#include "weights/last_name.h"

namespace transformer::training {

Parameter& Parameters::add(const std::string& name, const Shape& shape) {
  require(std::none_of(all_.begin(), all_.end(), [&](const Parameter& one) { return one.name == name; }),
          "the parameter '", name, "' exists already");
  return all_.emplace_back(Parameter{name, initial_tensor(seed_, name, shape), Tensor::zeros(shape),
                                     Tensor::zeros(shape), Tensor::zeros(shape)});
}

Parameter& Parameters::find(std::string_view name) {
  for (Parameter& one : all_) {
    if (one.name == name) return one;
  }
  fail(ErrorCode::kInvalidArgument, "there is no parameter '", std::string(name), "'");
}

std::size_t Parameters::count() const {
  std::size_t count = 0;
  for (const Parameter& one : all_) count += one.value.size();
  return count;
}

ParameterScope ParameterScope::operator/(std::string_view name) const {
  ParameterScope deeper = *this;
  deeper.prefix_ = prefix_.empty() ? std::string(name) : concat(prefix_, ".", std::string(name));
  return deeper;
}

std::string ParameterScope::name() const { return std::string(last_name(prefix_)); }

}  // namespace transformer::training

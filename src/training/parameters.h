// The numbers that training changes, by the names that the layers of inference have for them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace transformer::training {

// A matrix and the derivative of the loss by each of its numbers. Constants have no gradient.
struct Value {
  View x;
  View gradient;
};

struct Parameter {
  std::string name;
  Tensor value;
  Tensor gradient;
  Tensor mean;  // of the gradients so far, and of their squares: the moments of Adam
  Tensor square;

  // A vector is a matrix of one row.
  Value as_value() { return {value.matrix(), gradient.matrix()}; }
};

class Parameters {
 public:
  // seed: of the numbers at the beginning, those of the engine's random weights
  explicit Parameters(std::uint64_t seed) : seed_(seed) {}
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  // Whose address stays. invalid_argument if the name exists.
  Parameter& add(const std::string& name, const Shape& shape);

  std::deque<Parameter>& all() { return all_; }
  const std::deque<Parameter>& all() const { return all_; }
  // invalid_argument if there is none.
  Parameter& find(std::string_view name);
  std::size_t count() const;  // of numbers

 private:
  std::uint64_t seed_;
  std::deque<Parameter> all_;
};

// A prefix of names, as WeightScope is for inference.
class ParameterScope {
 public:
  explicit ParameterScope(Parameters& parameters) : parameters_(&parameters) {}

  ParameterScope operator/(std::string_view name) const;
  ParameterScope operator/(int index) const { return *this / std::string_view(std::to_string(index)); }

  std::string name() const;  // the last one
  Parameter& add(std::string_view name, const Shape& shape) const {
    return parameters_->add((*this / name).prefix_, shape);
  }

 private:
  Parameters* parameters_;
  std::string prefix_;
};

}  // namespace transformer::training

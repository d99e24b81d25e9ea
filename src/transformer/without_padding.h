// Sequences without the padding at their ends, so that it is not computed.
#pragma once

#include <vector>

#include "attention/mask.h"
#include "transformer/input.h"

namespace transformer {

class WithoutPadding {
 public:
  // padding: [batch, time], what is added to the scores of each key; kForbidden for padding.
  WithoutPadding(const Sequences& padded, const ScoreBias& padding);

  Segments segments() const { return {padded_.batch, longest_, offsets_}; }
  Sequences sequences() const;

  // Rows of the sequences -> the same with zeros for padding.
  Tensor padded(const Tensor& rows) const;

 private:
  Segments padded_;
  std::vector<int> ids_, types_;
  Tensor vectors_;
  std::vector<int> offsets_ = {0};
  int longest_ = 0;
};

}  // namespace transformer

// An observer that records everything.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/workspace.h"

namespace transformer::testing {

class Collector : public Observer {
 public:
  bool wants(std::string_view) const override { return true; }
  void record(std::string_view path, Tensor tensor) override {
    EXPECT_TRUE(recorded.emplace(path, std::move(tensor)).second) << path << " was recorded twice";
  }
  std::map<std::string, Tensor> recorded;
};

}  // namespace transformer::testing

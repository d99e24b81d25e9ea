// Names of weights are paths: "encoder.layers.0.q_proj.weight".
#pragma once

#include <string_view>

namespace transformer {

// "q_proj" of "encoder.layers.0.q_proj".
constexpr std::string_view last_name(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace transformer

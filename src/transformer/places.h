// The places inside a model at which tensors can be observed and heads scaled, by their paths. In a pattern `*` stands
// for any one name, `self` and `cross` for `self_attn` and `cross_attn`, and `residual` of a layer for its output.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/transformer.h"

namespace transformer {

// Whether a pattern, written as users write it, matches a path.
bool matches(std::string_view pattern, std::string_view path);

// All paths that the model's layers offer, in the order of a pass: what a pass over one token asks for.
std::vector<std::string> observable_paths(const Transformer& model, Workspace& workspace);

// The name of a path as the pattern writes it: each `*` replaced.
std::string name_in(std::string_view pattern, std::string_view path);

// Patterns of tensors, each of which matches some path.
// Throws invalid_argument for one that matches nothing, naming what there is.
void require_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& paths);

// Factors by the patterns of heads ("decoder.layers.1.cross.2") -> the factors of all heads of each layer concerned.
// Throws invalid_argument for a head that does not exist, naming those that do.
HeadFactors head_factors(const std::map<std::string, float>& factors, const Transformer& model,
                         const std::vector<std::string>& paths);

}  // namespace transformer

// The paths of a model's observable tensors and of its attention heads, and the patterns that select them. In a pattern
// `*` matches any one name, `self` and `cross` mean `self_attn` and `cross_attn`, and a layer's `residual` means its
// output.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/transformer.h"

namespace transformer {

// Whether the user's pattern matches a path.
bool matches(std::string_view pattern, std::string_view path);

// The paths of all tensors that a pass offers to an observer, in their order.
std::vector<std::string> paths_of(const std::function<void(Workspace&)>& pass, Workspace& workspace);

// The same, of a pass over one token.
std::vector<std::string> observable_paths(const Transformer& model, Workspace& workspace);

// The pattern with each `*` replaced by the path's own name: the tensor's name in the user's words.
std::string name_in(std::string_view pattern, std::string_view path);

// invalid_argument for a pattern that matches no path; the message names the argument and lists the paths.
void require_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& paths,
                     const char* argument = "trace");

// The number of heads of an attention's tensor; 0 for other tensors.
int heads_at(const Transformer& model, std::string_view path);

// Factors by patterns of heads ("decoder.layers.1.cross.2") -> for each layer concerned, the factors of all its heads.
// invalid_argument for a head that does not exist; the message lists the heads.
HeadFactors head_factors(const std::map<std::string, float>& factors, const Transformer& model,
                         const std::vector<std::string>& paths);

}  // namespace transformer

#include "transformer/observable_paths.h"

#include <algorithm>
#include <set>

#include "transformer/pass.h"

namespace transformer {

namespace {

constexpr std::string_view kWeights = ".weights";

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

// A pattern in the names that paths have.
std::vector<std::string> engine_names(std::string_view pattern) {
  std::vector<std::string> parts = split(pattern);
  for (std::string& part : parts) {
    if (part == "self" || part == "cross") part += "_attn";
  }
  if (parts.size() == 4 && parts[1] == "layers" && parts[3] == "residual") parts[3] = "output";
  return parts;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                    [](const std::string& wanted, const std::string& part) { return wanted == "*" || wanted == part; });
}

// Lists the paths that it is asked about, and wants none.
class PathCollector : public Observer {
 public:
  bool wants(std::string_view path) const override {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.emplace_back(path);
    return false;
  }
  void record(std::string_view, Tensor) override {}

  mutable std::vector<std::string> paths;
};

// "decoder.layers.*.self_attn.weights"
std::string without_index(const std::string& path) {
  std::string general;
  for (const std::string& part : split(path)) {
    const bool is_index = part.find_first_not_of("0123456789") == std::string::npos;
    general += concat(general.empty() ? "" : ".", is_index ? "*" : part);
  }
  return general;
}

std::string joined(const auto& names) {
  std::string list;
  for (const std::string& name : names) list += concat(list.empty() ? "" : ", ", name);
  return list;
}

int heads_of(const Transformer& model, std::string_view layer) {
  if (model.pool() && layer == "pool.attention") return model.pool()->num_heads();
  const TransformerConfig& config = model.config();
  return (layer.starts_with("encoder.") ? config.encoder : config.decoder).layer.attention.num_heads;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view path) { return matches(engine_names(pattern), split(path)); }

std::string name_in(std::string_view pattern, std::string_view path) {
  std::vector<std::string> names = split(pattern);
  const std::vector<std::string> parts = split(path);
  std::string name;
  for (int i = 0; i < count_of(names); ++i) {
    name += concat(i == 0 ? "" : ".", names[i] == "*" ? parts[i] : names[i]);
  }
  return name;
}

std::vector<std::string> paths_of(const std::function<void(Workspace&)>& pass, Workspace& workspace) {
  PathCollector collector;
  Workspace observed{workspace.arena, workspace.threads, &collector};
  pass(observed);
  return std::move(collector.paths);
}

std::vector<std::string> observable_paths(const Transformer& model, Workspace& workspace) {
  const TransformerConfig& config = model.config();
  const std::vector<int> id = {std::max(0, config.pooler.id)};
  const int time = shortest_length(config.encoder.positions);  // of vectors
  const Tensor vectors = Tensor::zeros({time, std::max(config.memory_width(), config.d_model())});
  const auto one_token = [&](const StackConfig& stack) {
    if (stack.vocab > 0) return Sequences{.batch = 1, .time = 1, .ids = id};
    const ConstView rows = vectors.matrix().column_range(0, stack.layer.d_model);
    return Sequences{.batch = 1, .time = time, .vectors = rows, .columns = 1};
  };
  return paths_of(
      [&](Workspace& observed) {
        if (model.front()) model.front()->forward(model.front()->smallest(), observed);
        // Nothing of a head is observable, and it may look for a token that is not there.
        run_pass(model,
                 {.source = one_token(config.encoder), .target = one_token(config.decoder), .skips_logits = true},
                 observed);
      },
      workspace);
}

void require_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& paths,
                     const char* argument) {
  for (const std::string& pattern : patterns) {
    if (std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return matches(pattern, path); }))
      continue;
    std::vector<std::string> known;
    for (const std::string& path : paths) {
      const std::string general = without_index(path);
      if (std::find(known.begin(), known.end(), general) == known.end()) known.push_back(general);
    }
    fail(ErrorCode::kInvalidArgument, argument, ": no tensor matches '", pattern, "'; the tensors are ", joined(known));
  }
}

int heads_at(const Transformer& model, std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return 0;
  const std::string_view layer = path.substr(0, dot), name = path.substr(dot + 1);
  if (name == "queries" || name == "scores" || name == "weights") return heads_of(model, layer);
  if (name != "keys" && name != "values") return 0;
  if (model.pool() && layer == "pool.attention") return heads_of(model, layer);
  const TransformerConfig& config = model.config();
  const StackConfig& stack = layer.starts_with("encoder.") ? config.encoder : config.decoder;
  const int kv_heads = stack.layer.attention.num_kv_heads;
  return kv_heads > 0 ? kv_heads : heads_of(model, layer);
}

HeadFactors head_factors(const std::map<std::string, float>& factors, const Transformer& model,
                         const std::vector<std::string>& paths) {
  HeadFactors result;
  for (const auto& [pattern, factor] : factors) {
    bool is_found = false;
    std::vector<std::string> known;
    for (const std::string& path : paths) {
      if (!path.ends_with(kWeights)) continue;
      const std::string layer = path.substr(0, path.size() - kWeights.size());
      const int heads = heads_of(model, layer);
      known.push_back(concat(layer, ".0 to ", heads - 1));
      for (int head = 0; head < heads; ++head) {
        if (!matches(pattern, concat(layer, ".", head))) continue;
        is_found = true;
        std::vector<float>& layer_factors = result[layer];
        layer_factors.resize(heads, 1.0f);
        layer_factors[head] = factor;
      }
    }
    require(is_found, "heads: no head matches '", pattern, "'; the heads are ", joined(known));
  }
  return result;
}

}  // namespace transformer

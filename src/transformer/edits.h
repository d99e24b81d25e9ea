// Interventions: changes of inner tensors, given by the paths under which they can be observed (observable_paths.h).
#pragma once

#include <string>
#include <vector>

#include "base/names.h"
#include "base/workspace.h"
#include "transformer/transformer.h"

namespace transformer {

enum class EditKind { kSet, kAdd, kScale };

constexpr auto enum_names(EditKind) {
  return std::to_array<Named<EditKind>>(
      {{"set", EditKind::kSet}, {"add", EditKind::kAdd}, {"scale", EditKind::kScale}});
}

struct Edit {
  std::string at;                   // a pattern of paths
  std::vector<int> rows = {};       // of the batch; empty: all
  std::vector<int> positions = {};  // of tokens; of an attention's scores and weights, of its queries; empty: all
  std::vector<int> heads = {};      // empty: all
  EditKind kind = EditKind::kSet;
  // Broadcast to the chosen part of the tensor: axes are aligned at the end, and one of size 1 repeats. An axis of
  // rows, heads or tokens is as long as the list of chosen ones, or else goes over all of the tensor's.
  Tensor values = {};
  // Of a generation, whose tokens come one after the other: those that the values do not reach keep what was computed.
  bool in_steps = false;
};

class Edits : public Editor {
 public:
  // invalid_argument for a pattern that matches no tensor, for one that is only read, and for heads that do not exist.
  Edits(std::vector<Edit> edits, const Transformer& model, const std::vector<std::string>& paths);

  bool edits(std::string_view path) const override;
  void edit(std::string_view path, View x, const Shape& shape) override;
  void start(std::span<const int> first) override { first_.assign(first.begin(), first.end()); }

  // After a pass; invalid_argument for a row or position that it did not have. Steps may end before one.
  void require_used() const;

 private:
  struct Use {
    Edit edit;
    std::vector<bool> rows;  // which of the given ones the pass had
    std::vector<bool> positions;
  };

  void apply(Use& use, int heads, View x, const Shape& shape) const;

  const Transformer& model_;
  std::vector<Use> uses_;
  std::vector<int> first_;
};

}  // namespace transformer

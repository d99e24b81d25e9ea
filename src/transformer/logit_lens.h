// The model's prediction if a layer were its last (nostalgebraist 2020, "the logit lens").
#pragma once

#include <string>
#include <vector>

#include "transformer/transformer.h"

namespace transformer {

// Forwards everything to another observer, and keeps the outputs of the decoder's layers whose logits that observer
// wants, as decoder.layers.i.logits.
class LogitLens : public Observer {
 public:
  LogitLens(Observer& to, int num_layers);

  bool wants(std::string_view path) const override { return to_.wants(path) || is_kept(path); }
  void record(std::string_view path, Tensor tensor) override;

  // After the pass: records the logits, through the final norm and the output projection.
  void project_all(const Transformer& model, int batch, Workspace& workspace);

 private:
  struct LayerStates {
    std::string layer;
    Tensor states;
    LayerStates(std::string_view of, Tensor tensor) : layer(of), states(std::move(tensor)) {}
  };

  bool is_kept(std::string_view path) const;

  Observer& to_;
  std::vector<std::string> layers_;
  std::vector<LayerStates> states_;
};

}  // namespace transformer

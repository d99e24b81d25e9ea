#include "recurrent/layers_pass.h"

#include <algorithm>

namespace transformer {

namespace {

// The states of a batch. PyTorch keeps one for each layer and direction, [parts, batch, size]; the layers keep them
// side by side, [batch, parts * size].
class State {
 public:
  State(const RecurrentLayersConfig& config, int batch, bool is_batched)
      : parts_(config.num_layers * config.directions()), size_(config.hidden_size), batch_(batch) {
    shape_ = is_batched ? Shape{parts_, batch, size_} : Shape{parts_, size_};
  }

  // [parts, batch, size] -> [batch, parts * size], zeros where nothing is given
  Tensor read(const Tensor& given, const char* name) const {
    Tensor rows = Tensor::zeros({batch_, parts_ * size_});
    if (given.empty()) return rows;
    require(given.shape() == shape_, name, " must have the shape ", to_string(shape_), ", got ",
            to_string(given.shape()));
    for_each(
        [&](std::size_t packed, std::size_t row) { std::copy_n(given.data() + packed, size_, rows.data() + row); });
    return rows;
  }

  Tensor write(const Tensor& rows) const {
    Tensor result(shape_);
    for_each(
        [&](std::size_t packed, std::size_t row) { std::copy_n(rows.data() + row, size_, result.data() + packed); });
    return result;
  }

 private:
  // Calls visit(offset in [parts, batch, size], offset in [batch, parts * size]).
  void for_each(const auto& visit) const {
    for (int part = 0; part < parts_; ++part) {
      for (int row = 0; row < batch_; ++row) {
        const auto offset = [&](int outer, int count, int inner) {
          return (static_cast<std::size_t>(outer) * count + inner) * size_;
        };
        visit(offset(part, batch_, row), offset(row, parts_, part));
      }
    }
  }

  int parts_, size_, batch_;
  Shape shape_;
};

}  // namespace

RecurrentLayersResult run_layers(const RecurrentLayers& layers, const RecurrentLayersCall& call, Workspace& workspace) {
  const RecurrentLayersConfig& config = layers.config();
  const Shape& shape = call.x.shape();
  require((shape.size() == 2 || shape.size() == 3) && shape.back() == config.input_size,
          "x must have the shape [batch, time, ", config.input_size, "], got ", to_string(shape));
  const bool is_batched = shape.size() == 3, is_lstm = config.cell == CellKind::kLstm;
  const int batch = is_batched ? shape[0] : 1, time = shape[shape.size() - 2];
  require(is_lstm || call.cell.empty(), "a GRU has no cell, only an LSTM has");
  const State state(config, batch, is_batched);
  Tensor hidden = state.read(call.hidden, "hidden");
  Tensor cell = is_lstm ? state.read(call.cell, "cell") : Tensor();
  Tensor output(is_batched ? Shape{batch, time, config.output_size()} : Shape{time, config.output_size()});
  layers.forward({call.x.matrix(), batch, time, call.lengths}, output.matrix(),
                 {hidden.matrix(), is_lstm ? cell.matrix() : View{}}, workspace);
  return {std::move(output), state.write(hidden), is_lstm ? state.write(cell) : Tensor()};
}

}  // namespace transformer

// Recurrent layers, and the encoder-decoders of Bahdanau and Luong.
#include <algorithm>

#include "guarded.h"
#include "model.h"
#include "recurrent/layers_pass.h"
#include "recurrent/model_pass.h"
#include "transformer/observable_paths.h"

TRANSFORMER_NAMED_ENUM(transformer::CellKind);
TRANSFORMER_NAMED_ENUM(transformer::AlignmentScore);
TRANSFORMER_NAMED_ENUM(transformer::DecoderDesign);

namespace transformer::bindings {

namespace {

using ResidentLayers = Resident<RecurrentLayers>;

std::shared_ptr<ResidentLayers> make_layers(Context& context, const Partial<RecurrentLayersConfig>& config,
                                            WeightsLoader& weights) {
  return std::make_shared<ResidentLayers>(context, weights, config.read());
}

double layers_parameter_count(const ResidentLayers& layers) { return layers.parameter_count; }

struct JsRecurrentState {
  JsIds lengths;
  MaybeTensor hidden;
  MaybeTensor cell;
};

constexpr auto fields_of(const JsRecurrentState*) {
  return std::tuple{Field{"lengths", &JsRecurrentState::lengths}, Field{"hidden", &JsRecurrentState::hidden},
                    Field{"cell", &JsRecurrentState::cell}};
}

struct JsRecurrentResult {
  JsTensor output;
  JsTensor hidden;
  MaybeTensor cell;
};

constexpr auto fields_of(const JsRecurrentResult*) {
  return std::tuple{Field{"output", &JsRecurrentResult::output}, Field{"hidden", &JsRecurrentResult::hidden},
                    Field{"cell", &JsRecurrentResult::cell}};
}

JsRecurrentResult forward_layers(ResidentLayers& resident, const JsTensor& x, const Partial<JsRecurrentState>& given) {
  const JsRecurrentState state = given.read();
  Workspace workspace = resident.workspace();
  const RecurrentLayersResult result =
      run_layers(resident.layer,
                 {x.read("x"), state.lengths.read(), state.hidden.read("hidden"), state.cell.read("cell")}, workspace);
  return {JsTensor(result.output), JsTensor(result.hidden), MaybeTensor(result.cell)};
}

// The lengths of sentences whose padding, at their end, a mask [batch, time] marks with 0.
std::vector<int> lengths_of(const MaskTensors& masks, const InputTensor& src) {
  require(masks.mask.empty() && masks.bias.empty(), "a recurrent model takes no srcMask or srcBias");
  const int batch = src.batch(), time = src.time();
  std::vector<int> lengths(static_cast<std::size_t>(batch), time);
  if (masks.padding.empty()) return lengths;
  require(masks.padding.size() == src.ids.size(), "srcKeyPaddingMask must have the shape of src, ",
          to_string(src.shape), ", got ", to_string(masks.padding.shape()));
  const float* mask = masks.padding.data();
  for (int& length : lengths) {
    const float* end = mask + time;
    const float* padding = std::find_if(mask, end, [](float real) { return real == 0; });
    require(std::all_of(padding, end, [](float real) { return real == 0; }),
            "a recurrent model takes padding only at the end of a sentence");
    length = static_cast<int>(padding - mask);
    mask = end;
  }
  return lengths;
}

class ResidentRecurrentModel : public ResidentModel {
 public:
  ResidentRecurrentModel(Context& owner, WeightsLoader& weights, const RecurrentConfig& config)
      : ResidentModel(owner), model_(weights.complete(), config) {
    weight_bytes = static_cast<double>(weights.complete().bytes_taken());
  }

  double parameter_count() const override { return static_cast<double>(model_.parameter_count()); }
  std::unique_ptr<const SequenceModel> sequence_model() const override { return make_sequence_model(model_); }

  ForwardResult forward(ForwardCall call, Workspace& workspace) const override {
    const InputTensor &src = checked_ids(call.src, "src"), &tgt = checked_ids(call.tgt, "tgt");
    require(src.batch() == tgt.batch(), "src and tgt must have the same batch size, got ", src.batch(), " and ",
            tgt.batch());
    const std::vector<int> lengths = lengths_of(call.src_masks, src);
    RecurrentPassOutput output = run_pass(
        model_, {.source = {src.ids, src.batch(), src.time(), lengths}, .target = tgt.ids, .target_time = tgt.time()},
        workspace);
    ForwardResult result;
    result.logits = std::move(output.logits);
    result.encoder_output = std::move(output.memory);
    return result;
  }

  HeadFactors head_factors(const std::vector<HeadFactor>& heads) override {
    require(heads.empty(), "heads: the attention of a recurrent model has no heads");
    return {};
  }

  std::unique_ptr<Edits> editor(const std::vector<JsEdit>& edits) override {
    require(edits.empty(), "edits: the tensors of a recurrent model can be traced, but not edited");
    return nullptr;
  }

 private:
  std::vector<std::string> find_paths(Workspace& workspace) const override {
    const std::vector<int> id = {0};
    return paths_of(
        [&](Workspace& observed) {
          run_pass(model_, {.source = {id, 1, 1}, .target = id, .target_time = 1}, observed);
        },
        workspace);
  }

  RecurrentEncoderDecoder model_;
};

std::shared_ptr<ResidentRecurrentModel> make_model(Context& context, const Partial<RecurrentConfig>& config,
                                                   WeightsLoader& weights) {
  return std::make_shared<ResidentRecurrentModel>(context, weights, config.read());
}

}  // namespace

EMSCRIPTEN_BINDINGS(recurrent) {
  register_enum<CellKind>();
  register_enum<AlignmentScore>();
  register_enum<DecoderDesign>();
  register_options<RecurrentLayersConfig>("RecurrentLayersConfig");
  register_options<JsRecurrentState>("RecurrentState");
  register_struct<JsRecurrentResult>("RecurrentResult");
  emscripten::class_<ResidentLayers>("RecurrentLayers")
      .smart_ptr_constructor("RecurrentLayers", guarded<make_layers>)
      .function("forward", guarded<forward_layers>)
      .function("parameterCount", &layers_parameter_count);

  register_options<RecurrentConfig>("RecurrentConfig");
  emscripten::class_<ResidentRecurrentModel, emscripten::base<ResidentModel>>("RecurrentModel")
      .smart_ptr_constructor("RecurrentModel", guarded<make_model>);
}

}  // namespace transformer::bindings

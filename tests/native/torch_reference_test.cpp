// Layers and models against PyTorch: nn.MultiheadAttention, nn.TransformerEncoderLayer, ..., nn.Transformer.
#include <gtest/gtest.h>

#include "generation/generator.h"
#include "kernels/activation.h"
#include "support/bench.h"
#include "support/collector.h"
#include "support/torch_weights.h"
#include "transformer/transformer.h"

namespace transformer {
namespace {

using namespace testing;

// Both sides round to single precision; the reference alone is up to 4.2e-6 from double precision.
constexpr double kBound = 2e-5;

// A module's arguments and tensors, converted to batch first.
class TorchCase {
 public:
  explicit TorchCase(const std::string& name)
      : fixture(name),
        config_(fixture.json("config.json")),
        is_length_first_(fixture.json("expected.json").value("layout", "").rfind("[length", 0) == 0) {}

  nlohmann::json args() const { return config_.contains("args") ? config_["args"] : config_["layer_args"]; }
  const nlohmann::json& config() const { return config_; }
  std::vector<std::string> calls() const {
    const nlohmann::json calls = fixture.json("expected.json")["calls"];
    std::vector<std::string> names;
    for (const auto& [key, value] : calls.items()) names.push_back(calls.is_array() ? value.get<std::string>() : key);
    return names;
  }
  Tensor sequence(const std::string& name) const {
    Tensor x = fixture.tensor(name);
    return is_length_first_ ? swap_first_axes(x) : std::move(x);
  }
  LayerConfig layer_config() const {
    const nlohmann::json a = args();
    LayerConfig layer;
    layer.d_model = a["d_model"];
    layer.attention.num_heads = a["nhead"];
    layer.feed_forward.d_ff = a["dim_feedforward"];
    layer.feed_forward.activation = a["activation"] == "gelu" ? Activation::kGelu : Activation::kRelu;
    layer.norm_place = a["norm_first"] ? NormPlace::kPre : NormPlace::kPost;
    return layer;
  }

  Fixture fixture;

 private:
  nlohmann::json config_;
  bool is_length_first_;
};

// Compares rows [batch * time, width], except at positions that `padding` [batch, time] masks.
void expect_rows(const Tensor& actual, const Tensor& expected, const Tensor& padding, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  for (int row = 0; row < actual.matrix().rows; ++row) {
    if (!padding.empty() && padding.data()[row] == kForbidden) continue;
    for (int i = 0; i < actual.matrix().cols; ++i) {
      ASSERT_NEAR(actual.matrix().row(row)[i], expected.matrix().row(row)[i], kBound) << what << " row " << row;
    }
  }
}

ScoreBias key_padding(const Tensor& mask) {
  return mask.empty() ? ScoreBias{} : ScoreBias{.data = mask.data(), .batch = mask.axis(1), .key = 1};
}
ScoreBias attention_mask(const Tensor& mask) {
  return mask.empty() ? ScoreBias{} : ScoreBias{.data = mask.data(), .query = mask.axis(1), .key = 1};
}

class TorchAttentionTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchAttentionTest, SameResultsAndWeights) {
  const TorchCase torch(GetParam());
  const nlohmann::json args = torch.args();
  const int d_model = args["embed_dim"], heads = args["num_heads"];
  Weights weights = torch_weights(torch.fixture);
  const MultiHeadAttention attention(WeightScope(weights), {.d_model = d_model,
                                                            .d_key = args.value("kdim", 0),
                                                            .d_value = args.value("vdim", 0),
                                                            .num_heads = heads,
                                                            .bias = args.value("bias", true),
                                                            .bias_kv = args.value("add_bias_kv", false),
                                                            .zero_attention = args.value("add_zero_attn", false)});
  EXPECT_TRUE(weights.names().empty());
  const Tensor query = torch.sequence("query");
  const Tensor key = torch.fixture.has("key") ? torch.sequence("key") : query.clone();
  const Tensor value = torch.fixture.has("value") ? torch.sequence("value") : key.clone();
  const nlohmann::json calls = torch.fixture.json("expected.json")["calls"];
  for (const std::string& call : torch.calls()) {
    auto mask_of = [&](const char* argument) {
      return calls[call].contains(argument) ? torch.fixture.mask("mask." + calls[call][argument].get<std::string>())
                                            : Tensor();
    };
    const Tensor padding = mask_of("key_padding_mask"), given = mask_of("attn_mask");
    Mask mask;
    mask.padding = key_padding(padding);
    if (!given.empty() && given.shape().size() == 3) {  // [batch * heads, queries, keys]
      const std::ptrdiff_t head = static_cast<std::ptrdiff_t>(given.axis(1)) * given.axis(2);
      mask.mask = {.data = given.data(), .batch = head * heads, .head = head, .query = given.axis(2), .key = 1};
    } else {
      mask.mask = attention_mask(given);
    }
    Collector collector;
    Bench bench(2, &collector);
    Tensor out(query.shape());
    attention.forward({query.matrix(),
                       key.matrix(),
                       value.matrix(),
                       {query.axis(0), query.axis(1)},
                       {key.axis(0), key.axis(1)},
                       mask},
                      {out.matrix()}, bench.workspace);
    expect_rows(out, torch.sequence("output." + call), Tensor(), call);
    expect_rows(collector.recorded["weights"], torch.fixture.tensor("weights_per_head." + call), Tensor(), call);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchAttentionTest,
                         ::testing::Values("torch_mha_self", "torch_mha_cross_kdim_vdim", "torch_mha_no_bias",
                                           "torch_mha_bias_kv_zero"));

// The masks that the name of a call lists.
Tensor mask_for(const TorchCase& torch, const std::string& call, const char* word, const std::string& mask) {
  return call.find(word) == std::string::npos ? Tensor() : torch.fixture.mask("mask." + mask);
}

class TorchEncoderTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchEncoderTest, SameOutputs) {
  const TorchCase torch(GetParam());
  Weights weights = torch_weights(torch.fixture);
  TransformerConfig config;
  config.encoder.layer = torch.layer_config();
  config.encoder.num_layers = torch.config().value("num_layers", 1);
  config.encoder.norm = torch.config().value("final_norm", false);
  const bool is_stack = torch.config().contains("num_layers");
  std::optional<Encoder> stack;
  std::optional<EncoderLayer> layer;
  if (is_stack) {
    stack.emplace(WeightScope(weights), config, nullptr);
  } else {
    layer.emplace(WeightScope(weights), config.encoder.layer);
  }
  EXPECT_TRUE(weights.names().empty());
  for (const std::string& call : torch.calls()) {
    const Tensor padding = mask_for(torch, call, "padding", "padding"),
                 causal = mask_for(torch, call, "causal", "causal");
    Mask mask;
    mask.padding = key_padding(padding);
    mask.mask = attention_mask(causal);
    Bench bench(2);
    const Tensor src = torch.sequence("src");
    Tensor out = src.clone();
    if (is_stack) {
      stack->forward({.batch = src.axis(0), .time = src.axis(1), .vectors = src.matrix()}, mask, out.matrix(),
                     bench.workspace);
    } else {
      layer->forward(out.matrix(), {src.axis(0), src.axis(1)}, mask, bench.workspace);
    }
    expect_rows(out, torch.sequence("output." + call), padding, call);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchEncoderTest,
                         ::testing::Values("torch_encoder_layer_post_relu", "torch_encoder_layer_pre_gelu",
                                           "torch_encoder_stack"));

class TorchDecoderLayerTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchDecoderLayerTest, SameOutputs) {
  const TorchCase torch(GetParam());
  Weights weights = torch_weights(torch.fixture, true);
  const DecoderLayer layer(WeightScope(weights), torch.layer_config(), torch.layer_config().d_model);
  EXPECT_TRUE(weights.names().empty());
  const Tensor tgt = torch.sequence("tgt"), memory = torch.sequence("memory");
  const int batch = tgt.axis(0);
  for (const std::string& call : torch.calls()) {
    const Tensor padding = mask_for(torch, call, "padding", "tgt_padding"),
                 causal = mask_for(torch, call, "causal", "causal"),
                 memory_padding = mask_for(torch, call, "padding", "memory_padding");
    DecoderMasks masks;
    masks.self.padding = key_padding(padding);
    masks.self.mask = attention_mask(causal);
    masks.cross.padding = key_padding(memory_padding);
    Bench bench(2);
    const KvCache::Size self_size = layer.self_cache_size(batch, tgt.axis(1)),
                        cross_size = layer.cross_cache_size(batch, memory.axis(1));
    KvCache self(self_size), cross(cross_size);
    layer.append_memory(memory.matrix(), {batch, memory.axis(1)}, cross, bench.workspace);
    Tensor out = tgt.clone();
    const Segments tokens = {batch, tgt.axis(1)};
    layer.forward(out.matrix(), {tokens, tokens}, {&self, &cross}, masks, bench.workspace);
    expect_rows(out, torch.sequence("output." + call), padding, call);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchDecoderLayerTest,
                         ::testing::Values("torch_decoder_layer_post_relu", "torch_decoder_layer_pre_gelu"));

class TorchTransformerTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchTransformerTest, SameOutputsAndInnerResults) {
  const TorchCase torch(GetParam());
  Weights weights = torch_weights(torch.fixture);
  TransformerConfig config;
  config.encoder.layer = config.decoder.layer = torch.layer_config();
  config.encoder.num_layers = torch.args()["num_encoder_layers"];
  config.decoder.num_layers = torch.args()["num_decoder_layers"];
  config.encoder.norm = config.decoder.norm = true;
  const Transformer model(weights, config);
  EXPECT_TRUE(weights.names().empty());
  const Tensor src = torch.sequence("src"), tgt = torch.sequence("tgt");
  for (const std::string& call : torch.calls()) {
    const Tensor src_padding = mask_for(torch, call, "padding", "src_padding"),
                 tgt_padding = mask_for(torch, call, "padding", "tgt_padding"),
                 causal = mask_for(torch, call, "causal", "causal");
    Collector collector;
    Bench bench(2, &collector);
    Mask mask;
    mask.padding = key_padding(src_padding);
    Tensor memory(src.shape()), hidden(tgt.shape());
    {
      model.encoder().forward({.batch = src.axis(0), .time = src.axis(1), .vectors = src.matrix()}, mask,
                              memory.matrix(), bench.workspace);
    }
    DecoderMasks masks;
    masks.self.padding = key_padding(tgt_padding);
    masks.self.mask = attention_mask(causal);
    masks.cross.padding = key_padding(src_padding);
    DecoderState state =
        model.decoder().start({memory.matrix(), src.axis(0), src.axis(1)}, tgt.axis(0), tgt.axis(1), bench.workspace);
    {
      model.decoder().forward({.batch = tgt.axis(0), .time = tgt.axis(1), .vectors = tgt.matrix()}, state, masks,
                              hidden.matrix(), bench.workspace);
    }
    expect_rows(hidden, torch.sequence("output." + call), tgt_padding, call);
    if (call != "causal_padding") continue;
    expect_rows(memory, torch.sequence(call + ".memory"), src_padding, "memory");
    for (const bool encodes : {true, false}) {
      const std::string stack = encodes ? "encoder" : "decoder";
      const int layers = (encodes ? config.encoder : config.decoder).num_layers;
      for (int i = 0; i < layers; ++i) {
        const std::string index = std::to_string(i);
        expect_rows(collector.recorded[stack + ".layers." + index + ".output"],
                    torch.sequence(call + "." + stack + "_layer." + index), encodes ? src_padding : tgt_padding,
                    stack + " layer " + index);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchTransformerTest,
                         ::testing::Values("torch_transformer_post_relu", "torch_transformer_pre_gelu"));

class TorchTranslationTest : public ::testing::Test {
 protected:
  static TransformerConfig config_of(const nlohmann::json& c) {
    TransformerConfig config;
    LayerConfig& layer = config.encoder.layer;
    layer.d_model = c["emb_size"];
    layer.attention.num_heads = c["nhead"];
    layer.feed_forward.d_ff = c["dim_feedforward"];
    config.encoder.norm = true;
    config.decoder = config.encoder;
    config.encoder.num_layers = c["num_encoder_layers"];
    config.decoder.num_layers = c["num_decoder_layers"];
    config.encoder.vocab = c["src_vocab_size"];
    config.decoder.vocab = c["tgt_vocab_size"];
    config.projection = {.vocab = config.decoder.vocab, .bias = true};
    config.embedding_scale = std::sqrt(static_cast<float>(layer.d_model));
    config.encoder.positions = config.decoder.positions = SinusoidalPositions{.max_length = c["max_len"]};
    return config;
  }
  static std::vector<int> flat(const nlohmann::json& rows) {
    std::vector<int> ids;
    for (const auto& row : rows) ids.insert(ids.end(), row.begin(), row.end());
    return ids;
  }
  // The padding of the sequences as a bias [batch, time].
  Tensor padding_of(const nlohmann::json& rows) const {
    const int batch = static_cast<int>(rows.size()), time = static_cast<int>(rows[0].size());
    Tensor mask = Tensor::zeros({batch, time});
    const std::vector<int> ids = flat(rows);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == pad_) mask.data()[i] = kForbidden;
    }
    return mask;
  }

  TorchCase torch_{"torch_seq2seq"};
  nlohmann::json expected_ = torch_.fixture.json("expected.json");
  int pad_ = torch_.config()["pad"];
  Weights weights_ = torch_weights(torch_.fixture);
  Transformer model_{weights_, config_of(torch_.config())};
};

TEST_F(TorchTranslationTest, SameLogits) {
  EXPECT_TRUE(weights_.names().empty());
  Bench bench(2);
  const std::vector<int> src = flat(expected_["src"]), tgt = flat(expected_["tgt"]);
  const Tensor src_padding = padding_of(expected_["src"]), tgt_padding = padding_of(expected_["tgt"]);
  const int batch = src_padding.axis(0), keys = src_padding.axis(1), time = tgt_padding.axis(1),
            d_model = model_.config().d_model();
  Mask mask;
  mask.padding = key_padding(src_padding);
  Tensor memory({batch, keys, d_model}), hidden({batch, time, d_model}),
      logits({batch, time, model_.config().projection.vocab});
  model_.encoder().forward({.batch = batch, .time = keys, .ids = src}, mask, memory.matrix(), bench.workspace);
  DecoderMasks masks;
  masks.self.causal = true;
  masks.self.padding = key_padding(tgt_padding);
  masks.cross.padding = key_padding(src_padding);
  DecoderState state = model_.decoder().start({memory.matrix(), batch, keys}, batch, time, bench.workspace);
  model_.decoder().forward({.batch = batch, .time = time, .ids = tgt}, state, masks, hidden.matrix(), bench.workspace);
  model_.projection().forward(hidden.matrix(), logits.matrix(), bench.workspace);
  expect_rows(logits, torch_.fixture.tensor("logits"), tgt_padding, "logits");
}

TEST_F(TorchTranslationTest, SameGreedyIds) {
  GenerationInput all;
  GenerationOptions options;
  options.eos_token_ids = {torch_.config()["eos"].get<int>()};
  Bench bench(2);
  auto expect_ids = [&](const GenerationInput& input, std::size_t first) {
    Generator generator(model_, input, options, bench.workspace);
    while (!generator.done()) generator.step();
    for (int i = 0; i < generator.size(); ++i) {
      EXPECT_EQ(generator.search(i).results().front().ids,
                expected_["greedy"][first + static_cast<std::size_t>(i)].get<std::vector<int>>());
    }
  };
  for (std::size_t i = 0; i < expected_["src"].size(); ++i) {
    std::vector<int> source = expected_["src"][i].get<std::vector<int>>();
    while (source.back() == pad_) source.pop_back();
    all.sources.push_back(source);
    all.prompts.push_back({torch_.config()["bos"].get<int>()});
    GenerationInput one;
    one.sources = {all.sources.back()};
    one.prompts = {all.prompts.back()};
    expect_ids(one, i);
  }
  expect_ids(all, 0);
}

}  // namespace
}  // namespace transformer

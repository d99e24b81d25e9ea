// Whole models from any config, their passes and generations with any inputs and options: an error, or results that are
// the same on two threads and for every sequence alone.
#include "fuzzed.h"
#include "generation/generator.h"
#include "transformer/model_pass.h"

namespace transformer::fuzz {
namespace {

LayerConfig layer_from(Data& data) {
  LayerConfig layer;
  layer.d_model = size_from(data, 12);
  layer.attention.num_heads = size_from(data, 4);
  layer.attention.num_kv_heads = size_from(data, 2);
  layer.attention.d_head = size_from(data, 4);
  layer.attention.bias = data.ConsumeBool();
  layer.attention.bias_kv = data.ConsumeIntegralInRange(0, 7) == 7;
  layer.attention.zero_attention = data.ConsumeIntegralInRange(0, 7) == 7;
  layer.feed_forward.d_ff = size_from(data, 12);
  layer.feed_forward.activation = enum_from<Activation>(data);
  layer.feed_forward.gated = data.ConsumeBool();
  layer.norm_place = enum_from<NormPlace>(data);
  layer.norm.kind = enum_from<NormKind>(data);
  return layer;
}

RotaryPositions rotary_from(Data& data) {
  RotaryPositions positions = {size_from(data, 20), enum_from<RotaryLayout>(data)};
  if (data.ConsumeIntegralInRange(0, 3) == 3) {
    for (int i = data.ConsumeIntegralInRange(0, 4); i > 0; --i) positions.frequencies.push_back(number_from(data));
  }
  if (data.ConsumeIntegralInRange(0, 3) == 3) {
    positions.dynamic_length = size_from(data, 5);
    positions.dynamic_factor = number_from(data);
  }
  return positions;
}

DisentangledPositions disentangled_from(Data& data) {
  DisentangledPositions positions;
  positions.buckets = size_from(data, 9);
  positions.max_distance = size_from(data, 20);
  positions.span = std::min(size_from(data, 12), 70000);
  positions.norm_eps = data.ConsumeBool() ? 1e-7f : 0.0f;
  positions.content_to_position = data.ConsumeBool();
  positions.position_to_content = data.ConsumeBool();
  positions.share_projections = data.ConsumeBool();
  return positions;
}

Positions positions_from(Data& data) {
  switch (data.ConsumeIntegralInRange(0, 6)) {
    case 0: return SinusoidalPositions{size_from(data, 20), enum_from<SinusoidLayout>(data), size_from(data)};
    case 1: return LearnedPositions{std::min(size_from(data, 20), 70000)};
    case 2: return rotary_from(data);
    case 3: return AlibiPositions{};
    case 4: return RelativePositions{std::min(size_from(data, 20), 70000), size_from(data, 40), data.ConsumeBool()};
    case 5: return disentangled_from(data);
    default: return NoPositions{};
  }
}

StackConfig stack_from(Data& data) {
  StackConfig stack;
  stack.num_layers = size_from(data, 2);
  stack.layer = layer_from(data);
  stack.positions = positions_from(data);
  stack.vocab = size_from(data, 9);
  stack.token_types = data.ConsumeIntegralInRange(0, 7) == 7 ? size_from(data, 2) : 0;
  stack.norm = data.ConsumeBool();
  stack.embedding_norm = data.ConsumeBool();
  return stack;
}

// What a few families alone have.
void specialize(Data& data, StackConfig& stack) {
  const auto seldom = [&] { return data.ConsumeIntegralInRange(0, 7) == 7; };
  if (seldom()) stack.input_positions = std::min(size_from(data, 20), 70000);
  if (seldom()) stack.norm_before_positions = true;
  if (seldom()) stack.embedding_width = size_from(data, 12);
  if (seldom()) stack.layer_groups = size_from(data, 2);
  if (seldom()) stack.layer.attention.unbiased = "kvo";
  if (seldom()) stack.layer.attention.query_key_norm = enum_from<QueryKeyNorm>(data);
  if (seldom()) stack.layer.attention.score_cap = 2.0f;
  if (seldom()) stack.layer.residual_scale = 0.5f;
  if (seldom()) stack.first_norm = false;
  if (seldom()) stack.other_positions = positions_from(data);
  if (seldom()) stack.other_layers = {size_from(data, 2)};
  const int windows = seldom() ? data.ConsumeIntegralInRange(0, 2) : 0;
  for (int i = 0; i < windows; ++i) stack.windows.push_back(size_from(data, 3));
}

HeadConfig head_from(Data& data) {
  HeadConfig head;
  for (int i = data.ConsumeIntegralInRange(0, 2); i > 0; --i) {
    head.steps.push_back({.name = concat("step", i), .out_features = size_from(data, 9), .bias = data.ConsumeBool()});
  }
  head.reads = enum_from<HeadInput>(data);
  if (data.ConsumeBool()) head.id = size_from(data, 8);
  return head;
}

TransformerConfig config_from(Data& data) {
  TransformerConfig config;
  config.encoder = stack_from(data);
  config.decoder = data.ConsumeBool() ? config.encoder : stack_from(data);
  if (data.ConsumeIntegralInRange(0, 2) == 0) config.encoder.num_layers = 0;
  config.share_embeddings = data.ConsumeIntegralInRange(0, 3) == 3;
  config.projection.vocab = data.ConsumeBool() ? config.decoder.vocab : size_from(data, 9);
  config.projection.bias = data.ConsumeBool();
  config.projection.cap = data.ConsumeBool() ? 3.0f : 0.0f;
  config.projection.tied = data.ConsumeIntegralInRange(0, 3) == 3;
  specialize(data, config.encoder);
  specialize(data, config.decoder);
  if (data.ConsumeIntegralInRange(0, 3) == 3) config.encoder.layer.d_model = size_from(data, 12);
  config.memory_projection = data.ConsumeIntegralInRange(0, 3) == 3;
  if (data.ConsumeIntegralInRange(0, 3) == 3) config.head = head_from(data);
  if (data.ConsumeIntegralInRange(0, 3) == 3) config.projection.vocab = 0;
  // What a machine would fill for seconds is not what a fuzzer looks for.
  require(estimated_parameters(config) < 1e6 || estimated_parameters(config) > 1e15, "too large for a fuzzer");
  return config;
}

std::vector<int> ids_from(Data& data, int most) {
  std::vector<int> ids(data.ConsumeIntegralInRange<std::size_t>(0, most));
  for (int& id : ids) id = size_from(data, 8);
  return ids;
}

InputTensor input_from(Data& data, int vocab, int d_model) {
  InputTensor input;
  if (data.ConsumeIntegralInRange(0, 15) == 15) return input;
  const Shape rows = {data.ConsumeIntegralInRange(0, 3), data.ConsumeIntegralInRange(0, 5)};
  input.is_ids = vocab > 0;
  if (input.is_ids) {
    input.shape = rows;
    input.ids.resize(element_count(rows));
    for (int& id : input.ids)
      id = data.ConsumeIntegralInRange(0, 7) == 7 ? size_from(data) : data.ConsumeIntegralInRange(0, vocab - 1);
  } else {
    input.shape = {rows[0], rows[1], d_model};
    input.vectors = tensor_from(data, input.shape);
  }
  return input;
}

void pass(Data& data, const Transformer& model) {
  const TransformerConfig& config = model.config();
  const InputTensor src = input_from(data, config.encoder.vocab, config.encoder.layer.d_model);
  const InputTensor tgt = input_from(data, config.decoder.vocab, config.decoder.layer.d_model);
  const auto copy = [](const InputTensor& input) {
    return InputTensor{input.shape, input.is_ids, input.ids, input.vectors.clone(), input.token_types};
  };
  Tensor mask, padding;
  if (data.ConsumeBool()) mask = mask_from(data, shape_from(data));
  if (data.ConsumeBool() && src.shape.size() >= 2) padding = mask_from(data, {src.shape[0], src.shape[1]});
  const bool causal = data.ConsumeBool(), skips_padding = data.ConsumeBool();
  ForwardResult results[2];
  int i = 0;
  static ThreadPool one(1), two(2);
  for (ThreadPool* threads : {&one, &two}) {
    Arena arena;
    Workspace workspace{arena, *threads};
    ForwardCall call = {copy(src), copy(tgt), {}, {}, {}, causal, skips_padding};
    if (!model.has_encoder()) call.src = {};
    if (!model.has_decoder()) call.tgt = {};
    call.src_masks = {mask.clone(), {}, padding.clone()};
    results[i++] = forward(model, std::move(call), workspace);
  }
  require_same_bits(results[0].output, results[1].output);
  require_same_bits(results[0].logits, results[1].logits);
}

void add_rules(Data& data, GenerationOptions& options) {
  options.num_beam_groups = size_from(data, 4);
  if (options.num_beam_groups > 1) options.diversity_penalty = number_from(data);
  options.pad_token_id = size_from(data, 8) - 1;
  options.min_p = number_from(data);
  options.epsilon_cutoff = number_from(data);
  options.eta_cutoff = number_from(data);
  options.encoder_repetition_penalty = number_from(data);
  options.encoder_no_repeat_ngram_size = size_from(data, 3);
  if (data.ConsumeBool())
    options.sequence_bias = {{number_from(data) * 16.0, number_from(data) * 16.0, number_from(data)}};
  if (data.ConsumeBool()) options.forced_decoder_ids = {ids_from(data, 3), {1, size_from(data, 8)}};
  if (data.ConsumeBool()) options.exponential_decay_length_penalty = {number_from(data), number_from(data)};
  options.remove_invalid_values = data.ConsumeBool();
}

GenerationOptions options_from(Data& data) {
  GenerationOptions options;
  options.max_new_tokens = size_from(data, 6);
  options.min_new_tokens = size_from(data, 3);
  options.eos_token_ids = ids_from(data, 2);
  options.num_beams = data.ConsumeIntegralInRange(0, 31) == 31 ? size_from(data) : data.ConsumeIntegralInRange(1, 4);
  options.num_return_sequences = size_from(data, 2);
  options.length_penalty = number_from(data);
  options.early_stopping = enum_from<EarlyStopping>(data);
  options.do_sample = data.ConsumeBool();
  options.temperature = number_from(data);
  options.top_k = size_from(data, 9);
  options.top_p = number_from(data);
  options.typical_p = number_from(data);
  options.repetition_penalty = number_from(data);
  options.no_repeat_ngram_size = size_from(data, 3);
  if (data.ConsumeBool()) options.bad_words_ids = {ids_from(data, 2), ids_from(data, 3)};
  options.forced_bos_token_id = data.ConsumeBool() ? -1 : size_from(data, 9);
  options.forced_eos_token_id = data.ConsumeBool() ? -1 : size_from(data, 9);
  if (data.ConsumeBool()) options.suppress_tokens = ids_from(data, 3);
  if (data.ConsumeIntegralInRange(0, 3) == 3) options.shortlist = ids_from(data, 4);
  options.renormalize_logits = data.ConsumeBool();
  if (data.ConsumeBool()) add_rules(data, options);
  return options;
}

void generation(Data& data, const Transformer& model) {
  GenerationOptions options = options_from(data);
  GenerationInput input;
  const int size = data.ConsumeIntegralInRange(0, 3);
  for (int i = 0; i < size; ++i) {
    if (model.has_encoder()) input.sources.push_back(ids_from(data, 5));
    input.prompts.push_back(ids_from(data, 4));
  }
  require(options.max_new_tokens < 100 || make_sequence_model(model)->max_length() < 100, "too long for a fuzzer");
  require(options.num_beams < 100 && options.num_return_sequences < 100, "too many for a fuzzer");
  static ThreadPool threads(2);
  Arena arena;
  Workspace workspace{arena, threads};
  Company company;
  Generator generator(model, input, options, workspace), beside(model, input, options, workspace);
  const bool allows = data.ConsumeIntegralInRange(0, 3) == 3;
  for (Generator* sharing : {&generator, &beside}) sharing->share(company);
  while (!generator.done()) {
    for (int i = 0; allows && i < generator.size(); ++i) {
      std::vector<std::vector<int>> allowed = generator.open_rows(i);
      for (std::vector<int>& ids : allowed) ids = {size_from(data, 8), data.ConsumeIntegralInRange(0, 3)};
      if (!allowed.empty()) generator.allow(i, std::move(allowed));
    }
    generator.step();
    if (data.ConsumeIntegralInRange(0, 3) == 3) beside.step();
  }
  while (!beside.done()) beside.step();
  const int vocab = model.config().projection.vocab;
  for (int i = 0; i < generator.size(); ++i) {
    if (!allows && generator.search(i).certain() != beside.search(i).certain()) std::abort();
    for (const Hypothesis& hypothesis : generator.search(i).results()) {
      for (int id : hypothesis.ids) {
        if (id < 0 || id >= vocab) std::abort();
      }
    }
  }
}

}  // namespace
}  // namespace transformer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace transformer;
  using namespace transformer::fuzz;
  Data data(bytes, size);
  may_refuse([&] {
    const TransformerConfig config = config_from(data);
    Weights weights = weights_from(data);
    const Transformer model(weights, config);
    const bool generates = model.has_decoder() && config.projection.vocab > 0;
    data.ConsumeBool() && generates ? generation(data, model) : pass(data, model);
  });
  return 0;
}

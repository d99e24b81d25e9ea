#include "training/model.h"

#include "positions/sinusoidal.h"

namespace transformer::training {

namespace {

void require_known(bool is_known, const char* setting) {
  if (!is_known) fail(ErrorCode::kUnsupported, "training does not know the setting ", setting, " of this model");
}

void require_known(const StackConfig& stack) {
  const LayerConfig& layer = stack.layer;
  require_known(stack.vocab > 0, "vocab: 0 (a stack of vectors)");
  require_known(stack.token_types == 0, "tokenTypes");
  require_known(stack.input_positions == 0, "inputPositions");
  require_known(!stack.embedding_norm, "embeddingNorm");
  require_known(stack.embedding_width == 0, "embeddingWidth");
  require_known(stack.layer_groups == 0, "layerGroups");
  require_known(stack.other_layers.empty(), "otherLayers");
  require_known(stack.windows.empty(), "windows");
  require_known(!stack.zero_start, "zeroStart");
  require_known(!layer.layer_scale, "layerScale");
  require_known(!layer.ssru, "ssru");
  const AttentionConfig& attention = layer.attention;
  require_known(attention.score_cap == 0.0f, "scoreCap");
  require_known(!attention.bias_kv, "biasKv");
  require_known(!attention.zero_attention, "zeroAttention");
  require_known(attention.query_key_norm == QueryKeyNorm::kNone || attention.query_key_norm == QueryKeyNorm::kHead,
                "queryKeyNorm");
  switch (layer.feed_forward.activation) {
    case Activation::kRelu:
    case Activation::kSilu:
    case Activation::kGelu:
    case Activation::kGeluTanh: break;
    default: require_known(false, "activation (other than relu, silu, gelu and gelu_tanh)");
  }
  const RotaryPositions* rotary = std::get_if<RotaryPositions>(&stack.positions);
  require_known(only_rotates(stack.positions) || std::holds_alternative<SinusoidalPositions>(stack.positions) ||
                    std::holds_alternative<LearnedPositions>(stack.positions),
                "positions (other than sinusoidal, learned, rotary and none)");
  require_known(!rotary || (rotary->dynamic_length == 0 && !rotary->axial), "positions (rotary ones of this kind)");
}

void require_known(const TransformerConfig& config) {
  require_known(!config.has_front(), "front");
  require_known(!config.memory_projection, "memoryProjection");
  require_known(config.pool.num_heads == 0, "pool");
  require_known(!is_there(config.pooler) && !is_there(config.head), "head");
  require_known(!config.contrast.compares, "contrast");
  require_known(config.projection.vocab > 0, "projection: none (a model without logits)");
  require_known(config.projection.cap == 0.0f, "cap");
  if (config.encoder.num_layers > 0) require_known(config.encoder);
  if (config.decoder.num_layers > 0) require_known(config.decoder);
}

}  // namespace

Segments TokenRows::segments(const char* name) const {
  require(batch() > 0 && offsets.front() == 0 && offsets.back() == count_of(ids), name,
          " must be at least one sequence of token ids");
  Segments segments = {batch(), 0, offsets};
  for (int row = 0; row < batch(); ++row) {
    require(segments.length(row) > 0, "sequence ", row, " of ", name, " is empty");
    segments.time = std::max(segments.time, segments.length(row));
  }
  return segments;
}

Model::Stack::Stack(const ParameterScope& scope, const StackConfig& config, Parameter& table, float scale,
                    int memory_width)
    : name_(scope.name()), table_(&table), scale_(scale) {
  const LayerConfig& layer = config.layer;
  const AttentionConfig attention = attention_of(layer);
  const auto with_length = [this](int max_length) {
    require(max_length > 0, "maxLength must be positive, got ", max_length);
    max_length_ = max_length;
  };
  if (const auto* sinusoidal = std::get_if<SinusoidalPositions>(&config.positions)) {
    with_length(sinusoidal->max_length);
    sinusoids_ = sinusoidal_positions(layer.d_model, *sinusoidal);
  } else if (const auto* learned = std::get_if<LearnedPositions>(&config.positions)) {
    with_length(learned->max_length);
    learned_ = &(scope / "positions").add("weight", {learned->max_length, layer.d_model});
  } else if (const auto* rotary = std::get_if<RotaryPositions>(&config.positions)) {
    with_length(rotary->max_length);
    rotation_ = std::make_shared<Rotation>(*rotary, attention.d_head);
  }
  for (int i = 0; i < config.num_layers; ++i) {
    const ParameterScope at = scope / "layers" / i;
    layers_.push_back({layer.norm_place,
                       {at / "self_attn", attention, layer.d_model, rotation_},
                       {at, "self_attn", layer, i > 0 || config.first_norm},
                       {},
                       {},
                       {at / "feed_forward", feed_forward_of(layer)},
                       {at, "feed_forward", layer}});
    if (memory_width == 0) continue;
    layers_.back().cross_attn.emplace(at / "cross_attn", attention, memory_width, nullptr);
    layers_.back().cross_block.emplace(at, "cross_attn", layer);
  }
  if (config.norm) norm_.emplace(scope / "norm", layer.d_model, layer.norm);
}

Value Model::Stack::positioned(Tape& tape, Value x, const Segments& tokens) const {
  require_positions(tokens.time, max_length_);
  if (learned_) return add_positions(tape, x, learned_->as_value(), tokens);
  if (sinusoids_.empty()) return x;
  // A constant, which the tape only reads.
  const ConstView table = sinusoids_.matrix();
  return add_positions(tape, x, {{const_cast<float*>(table.data), table.rows, table.cols, table.stride}, {}}, tokens);
}

Value Model::Stack::forward_layer(const Layer& layer, Tape& tape, Value x, const AttentionLayer::Input& rows) {
  const Value before = x;
  x = layer.self_block.forward(tape, x, x, [&](Value in) {
    return layer.self_attn.forward(tape, {in, in, rows.tokens, rows.tokens, rows.causal});
  });
  if (layer.cross_attn) {
    x = layer.cross_block->forward(tape, x, x, [&](Value in) {
      return layer.cross_attn->forward(tape, {in, rows.memory, rows.tokens, rows.memory_tokens, false});
    });
  }
  return layer.feed_forward_block.forward(tape, x, layer.place == NormPlace::kParallel ? before : x,
                                          [&](Value in) { return layer.feed_forward.forward(tape, in); });
}

Value Model::Stack::forward(Tape& tape, const Input& input) const {
  const PathScope stack(tape.workspace(), name_);
  const Segments tokens = input.tokens.segments(input.name);
  Value x = positioned(tape, embed(tape, *table_, input.tokens.ids, scale_), tokens);
  for (int i = 0; i < count_of(layers_); ++i) {
    const PathScope path(tape.workspace(), "layers", i);
    x = forward_layer(layers_[static_cast<std::size_t>(i)], tape, x,
                      {x, input.memory, tokens, input.memory_tokens, input.causal});
  }
  return norm_ ? norm_->forward(tape, x) : x;
}

Model::Model(Parameters& parameters, const TransformerConfig& config) : projection_scale_(config.projection.scale) {
  validate(config);
  require_known(config);
  const ParameterScope root(parameters);
  const ParameterScope scope = config.scope.empty() ? root : root / config.scope;
  const StackConfig &encoder = config.encoder, &decoder = config.decoder;
  Parameter* shared =
      config.share_embeddings ? &(scope / "embedding").add("weight", {encoder.vocab, encoder.layer.d_model}) : nullptr;
  Parameter* last_table = nullptr;
  const auto make = [&](std::optional<Stack>& stack, const char* name, const StackConfig& of, int memory_width) {
    if (of.num_layers == 0) return;
    last_table = shared ? shared : &(scope / name / "embedding").add("weight", {of.vocab, of.layer.d_model});
    stack.emplace(scope / name, of, *last_table, config.embedding_scale, memory_width);
  };
  make(encoder_, "encoder", encoder, 0);
  make(decoder_, "decoder", decoder, encoder_ ? config.memory_width() : 0);
  const ParameterScope at = scope / "projection";
  const ProjectionConfig& projection = config.projection;
  Parameter& weight = projection.tied ? *last_table : at.add("weight", {projection.vocab, config.d_model()});
  projection_.emplace(weight, projection.bias ? &at.add("bias", {projection.vocab}) : nullptr);
}

Value Model::forward(Tape& tape, const Batch& batch, bool causal) const {
  require(batch.targets.size() == batch.inputs.ids.size(), "targets must be as many as the tokens of inputs (",
          batch.inputs.ids.size(), "), got ", batch.targets.size());
  require(has_both() || batch.source.ids.empty(), "this model has one stack, so its batches have no source");
  Value hidden;
  if (has_both()) {
    const Segments sources = batch.source.segments("source");
    require(sources.batch == batch.inputs.batch(), "source and inputs must have as many sequences, got ", sources.batch,
            " and ", batch.inputs.batch());
    const Value memory = encoder_->forward(tape, {batch.source, "source", false});
    hidden = decoder_->forward(tape, {batch.inputs, "inputs", causal, memory, sources});
  } else {
    hidden = (decoder_ ? *decoder_ : *encoder_).forward(tape, {batch.inputs, "inputs", decoder_ && causal});
  }
  return projection_->forward(tape, scale(tape, hidden, projection_scale_));
}

}  // namespace transformer::training

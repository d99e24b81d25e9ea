// Transformers of any shape with random weights, and their passes: full, and token by token.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/activation.h"
#include "support/bench.h"
#include "support/random_data.h"
#include "transformer/transformer.h"

namespace transformer::testing {

inline constexpr int kMaxLength = 160;

enum class Stacks { kBoth, kEncoder, kDecoder };

// An encoder-decoder with two equal stacks; grouped: two query heads share each head of keys and values.
struct PlainShape {
  int layers, d_model, heads, d_ff, vocab;
  bool grouped = false;
};

inline TransformerConfig plain_config(const PlainShape& shape) {
  TransformerConfig config;
  LayerConfig& layer = config.encoder.layer;
  layer.d_model = shape.d_model;
  layer.attention.num_heads = shape.heads;
  if (shape.grouped) layer.attention.num_kv_heads = shape.heads / 2;
  layer.feed_forward.d_ff = shape.d_ff;
  config.encoder.num_layers = shape.layers;
  config.encoder.vocab = shape.vocab;
  config.decoder = config.encoder;
  config.projection.vocab = shape.vocab;
  return config;
}

// Any combination of heads, activations, norms and biases, with sizes that are not multiples of a vector.
inline LayerConfig random_layer(Random& random) {
  auto coin = [&random] { return random_int(random, 0, 1) == 1; };
  LayerConfig layer;
  AttentionConfig& attention = layer.attention;
  attention.num_kv_heads = random_int(random, 1, 3);
  attention.num_heads = attention.num_kv_heads * random_int(random, 1, 2);
  attention.d_head = 2 * random_int(random, 1, 9);
  attention.bias = coin();
  for (const char projection : {'q', 'k', 'v', 'o'}) {
    if (coin()) attention.unbiased += projection;
  }
  if (coin()) attention.scale = 0.7f;
  if (coin()) attention.score_cap = 2.0f;
  attention.query_key_norm = static_cast<QueryKeyNorm>(random_int(random, 0, static_cast<int>(QueryKeyNorm::kWidth)));
  attention.norm_after_rotation = coin();
  FeedForwardConfig& feed_forward = layer.feed_forward;
  feed_forward.d_ff = random_int(random, 1, 120);
  feed_forward.activation = static_cast<Activation>(random_int(random, 0, static_cast<int>(Activation::kTanh)));
  feed_forward.gated = coin();
  feed_forward.bias = coin();
  layer.norm_place = static_cast<NormPlace>(random_int(random, 0, static_cast<int>(NormPlace::kSandwich)));
  if (coin()) layer.residual_scale = 0.6f;
  layer.norm = {coin() ? NormKind::kLayer : NormKind::kRms, 1e-5f, coin()};
  return layer;
}

// Any scheme with any of its options.
inline Positions random_positions(Random& random) {
  const auto draw = [&random](auto position) {
    using Scheme = decltype(position);
    if constexpr (std::is_same_v<Scheme, RelativePositions>) position = {.buckets = 8, .max_distance = 20};
    if constexpr (requires { position.max_length; }) position.max_length = kMaxLength;
    if constexpr (requires { position.offset; }) position.offset = random_int(random, 0, 2);
    if constexpr (requires { position.layout; }) {
      const auto names = enum_names(position.layout);
      position.layout =
          names[static_cast<std::size_t>(random_int(random, 0, static_cast<int>(names.size()) - 1))].value;
    }
    return Positions(position);
  };
  const auto index = static_cast<std::size_t>(random_int(random, 0, std::variant_size_v<Positions> - 1));
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    Positions positions;
    ((i == index ? void(positions = draw(std::variant_alternative_t<i, Positions>())) : void()), ...);
    return positions;
  }(std::make_index_sequence<std::variant_size_v<Positions>>());
}

// Stacks with any layers, positions and embeddings, drawn for each stack, and any projection.
inline TransformerConfig random_config(Random& random, Stacks stacks) {
  auto coin = [&random] { return random_int(random, 0, 1) == 1; };
  TransformerConfig config;
  const int d_model = random_int(random, 3, 70);
  const bool embeds = random_int(random, 0, 3) > 0;
  const int vocab = random_int(random, 10, 60);
  config.share_embeddings = stacks == Stacks::kBoth && embeds && coin();
  for (StackConfig* stack : {&config.encoder, &config.decoder}) {
    if (stacks == (stack == &config.encoder ? Stacks::kDecoder : Stacks::kEncoder)) continue;
    stack->num_layers = random_int(random, 1, 3);
    stack->layer = random_layer(random);
    stack->layer.d_model = d_model;
    stack->positions = random_positions(random);
    stack->vocab = embeds ? (config.share_embeddings ? vocab : random_int(random, 10, 60)) : 0;
    stack->token_types = coin() ? 2 : 0;
    stack->input_positions = coin() ? kMaxLength : 0;
    stack->embedding_norm = coin();
    stack->norm_before_positions = coin();
    for (int i = 0; i < stack->num_layers; ++i) stack->windows.push_back(random_int(random, -1, 9));
    if (coin()) stack->windows.clear();
    stack->norm = coin();
    stack->first_norm = coin();
    if (coin()) stack->other_positions = RotaryPositions{.max_length = kMaxLength, .scale = 1.2};
    for (int i = 0; i < stack->num_layers; ++i) {
      if (coin()) stack->other_layers.push_back(i);
    }
  }
  if (stacks == Stacks::kBoth && embeds && !config.share_embeddings && coin()) {
    config.encoder.layer.d_model = random_int(random, 3, 70);
    config.memory_projection = coin();
  }
  const int last_vocab = stacks == Stacks::kEncoder ? config.encoder.vocab : config.decoder.vocab;
  ProjectionConfig& projection = config.projection;
  projection.tied = embeds && coin();
  projection.vocab = projection.tied ? last_vocab : vocab;
  projection.bias = coin();
  if (coin()) projection.scale = 0.4f;
  if (coin()) projection.cap = 3.0f;
  const int width = embeds && !projection.tied && coin() ? random_int(random, 3, 40) : 0;
  config.encoder.embedding_width = config.decoder.embedding_width = width;
  if (config.encoder.other_layers.empty()) {
    config.encoder.layer_groups = random_int(random, 0, config.encoder.num_layers);
  }
  config.embedding_scale = coin() ? 1.0f : 3.0f;
  return config;
}

// One that generates: it takes ids on both sides, and has logits for those of its decoder. target_vocab: of the
// decoder; 0: as many as were drawn for its logits.
inline TransformerConfig random_generator_config(Random& random, Stacks stacks, int source_vocab,
                                                 int target_vocab = 0) {
  TransformerConfig config = random_config(random, stacks);
  config.share_embeddings = false;
  config.encoder.vocab = config.encoder.num_layers > 0 ? source_vocab : 0;
  if (target_vocab > 0) config.projection.vocab = target_vocab;
  config.decoder.vocab = config.projection.vocab;
  config.decoder.layer.ssru = random_int(random, 0, 2) == 0;
  config.decoder.zero_start = random_int(random, 0, 1) == 1;
  return config;
}

// Ids below this are in all vocabularies of the model.
inline int smallest_vocab(const TransformerConfig& config) {
  int smallest = config.projection.vocab;
  for (const StackConfig* stack : {&config.encoder, &config.decoder}) {
    if (stack->vocab > 0) smallest = std::min(smallest, stack->vocab);
  }
  return smallest;
}

// For a model without embeddings, a vector for each id; else empty.
inline Tensor random_vectors(Random& random, const TransformerConfig& config) {
  if (config.encoder.vocab + config.decoder.vocab > 0) return {};
  return random_tensor(random, {config.projection.vocab, config.d_model()});
}

inline const char* name_of(const Positions& positions) {
  return std::visit([](const auto& scheme) { return scheme.kName; }, positions);
}

inline std::string describe(const TransformerConfig& config) {
  std::string text = concat("d_model ", config.d_model());
  for (const StackConfig* stack : {&config.encoder, &config.decoder}) {
    const LayerConfig& layer = stack->layer;
    const AttentionConfig& attention = layer.attention;
    const FeedForwardConfig& feed_forward = layer.feed_forward;
    text += concat("; ", stack->num_layers, " layers of ", attention.num_heads, "/", attention.num_kv_heads,
                   " heads x ", attention.d_head, ", d_ff ", feed_forward.d_ff, ", activation ",
                   static_cast<int>(feed_forward.activation), ", gated ", feed_forward.gated, ", pre-norm ",
                   layer.norm_place == NormPlace::kPre, ", rms ", layer.norm.kind == NormKind::kRms, ", positions ",
                   name_of(stack->positions));
  }
  return text;
}

using Ids = std::vector<int>;

// A batch of sequences of different lengths, padded at the end.
class Batch {
 public:
  // vectors: a vector for each id, for a model without embeddings; or empty
  Batch(const std::vector<Ids>& sequences, const Tensor& vectors) {
    batch = static_cast<int>(sequences.size());
    for (const Ids& sequence : sequences) time = std::max(time, static_cast<int>(sequence.size()));
    padding = Tensor::zeros({batch, time});
    for (int row = 0; row < batch; ++row) {
      const Ids& sequence = sequences[row];
      for (int t = 0; t < time; ++t) {
        const bool real = t < static_cast<int>(sequence.size());
        ids.push_back(real ? sequence[t] : 0);
        if (!real) padding.matrix().row(row)[t] = kForbidden;
      }
    }
    if (vectors.empty()) return;
    embedded_ = Tensor({batch, time, vectors.axis(1)});
    for (std::size_t i = 0; i < ids.size(); ++i) {
      std::copy_n(vectors.matrix().row(ids[i]), vectors.axis(1), embedded_.matrix().row(static_cast<int>(i)));
    }
  }

  // All tokens; or of each row, only the one at `only`.
  Sequences sequences() const {
    if (!embedded_.empty()) return {.batch = batch, .time = time, .vectors = embedded_.matrix()};
    return {.batch = batch, .time = time, .ids = ids};
  }
  Batch at(int only) const {
    Batch step;
    step.batch = batch;
    step.time = 1;
    if (!embedded_.empty()) step.embedded_ = Tensor({batch, 1, embedded_.axis(2)});
    for (int row = 0; row < batch; ++row) {
      step.ids.push_back(ids[row * time + only]);
      if (embedded_.empty()) continue;
      std::copy_n(embedded_.matrix().row(row * time + only), embedded_.axis(2), step.embedded_.matrix().row(row));
    }
    return step;
  }

  int batch = 0;
  int time = 0;
  Ids ids;
  Tensor padding;  // [batch, time], 0 or -inf

 private:
  Batch() = default;
  Tensor embedded_;
};

// The memory [batch, keys, memory_width] and the logits [batch, time, vocab].
struct Results {
  Tensor memory;
  Tensor logits;
};

enum class Pass { kFull, kStepByStep };

inline Results run_model(const Transformer& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                         const Tensor& vectors, Bench& bench, Pass pass = Pass::kFull) {
  const int d_model = model.config().d_model(), vocab = model.config().projection.vocab;
  const Batch target(targets, vectors);
  Results results;
  DecoderMasks masks;
  Tensor source_padding;
  Memory memory;
  if (model.has_encoder()) {
    const Batch source(sources, vectors);
    source_padding = source.padding.clone();
    Mask mask;
    mask.padding = {.data = source_padding.data(), .batch = source.time, .key = 1};
    results.memory = Tensor({source.batch, source.time, model.config().memory_width()});
    model.encoder().forward(source.sequences(), mask, results.memory.matrix(), bench.workspace);
    masks.cross.padding = mask.padding;
    memory = {results.memory.matrix(), source.batch, source.time};
  }
  if (!model.has_decoder()) {
    results.logits = Tensor({memory.batch, memory.keys, vocab});
    model.projection().forward(results.memory.matrix(), results.logits.matrix(), bench.workspace);
    return results;
  }
  masks.self.causal = true;
  Tensor hidden({target.batch, target.time, d_model});
  results.logits = Tensor({target.batch, target.time, vocab});
  DecoderState state = model.decoder().start(memory, target.batch, target.time, bench.workspace);
  if (pass == Pass::kFull) {
    model.decoder().forward(target.sequences(), state, masks, hidden.matrix(), bench.workspace);
    model.projection().forward(hidden.matrix(), results.logits.matrix(), bench.workspace);
    return results;
  }
  for (int t = 0; t < target.time; ++t) {
    const Batch step = target.at(t);
    Tensor step_hidden({target.batch, d_model}), step_logits({target.batch, vocab});
    model.decoder().forward(step.sequences(), state, masks, step_hidden.matrix(), bench.workspace);
    model.projection().forward(step_hidden.matrix(), step_logits.matrix(), bench.workspace);
    for (int row = 0; row < target.batch; ++row) {
      std::copy_n(step_logits.matrix().row(row), vocab, results.logits.matrix().row(row * target.time + t));
    }
  }
  return results;
}

// Full passes over all sequences without padding: what each of them would give alone.
inline std::vector<Results> run_packed(const Transformer& model, const std::vector<Ids>& sources,
                                       const std::vector<Ids>& targets, const Tensor& vectors, Bench& bench) {
  struct Packed {
    Packed(const std::vector<Ids>& list, const Tensor& embeddings)
        : joined({concatenated(list, offsets, longest)}, embeddings), count(static_cast<int>(list.size())) {}
    static Ids concatenated(const std::vector<Ids>& list, Ids& offsets, int& longest) {
      Ids all;
      for (const Ids& ids : list) {
        all.insert(all.end(), ids.begin(), ids.end());
        offsets.push_back(static_cast<int>(all.size()));
        longest = std::max(longest, static_cast<int>(ids.size()));
      }
      return all;
    }
    Sequences sequences() const {
      Sequences all = joined.sequences();
      all.batch = count;
      all.time = longest;
      all.offsets = offsets;
      return all;
    }
    // The rows of one sequence as a batch of one.
    Tensor part(const Tensor& all, int sequence) const {
      const Segments segments = sequences().segments();
      const ConstView rows = all.matrix().row_range(segments.first(sequence), segments.length(sequence));
      Tensor own({1, rows.rows, rows.cols});
      for (int row = 0; row < rows.rows; ++row) std::copy_n(rows.row(row), rows.cols, own.matrix().row(row));
      return own;
    }
    Ids offsets = {0};
    int longest = 0;
    Batch joined;
    int count;
  };
  const int d_model = model.config().d_model(), vocab = model.config().projection.vocab;
  const Packed source(sources, vectors), target(targets, vectors);
  const Packed& last = model.has_decoder() ? target : source;
  Tensor memory, states;
  const auto rows_of = [](const Packed& packed) { return packed.sequences().segments().rows(); };
  if (model.has_encoder()) {
    memory = Tensor({rows_of(source), model.config().memory_width()});
    model.encoder().forward(source.sequences(), {}, memory.matrix(), bench.workspace);
  }
  if (model.has_decoder()) {
    Memory given;
    const Segments segments = source.sequences().segments();
    if (model.has_encoder()) given = {memory.matrix(), segments.batch, segments.time, segments.offsets};
    DecoderState state = model.decoder().start(given, target.count, target.longest, bench.workspace);
    DecoderMasks masks;
    masks.self.causal = true;
    states = Tensor({rows_of(target), d_model});
    model.decoder().forward(target.sequences(), state, masks, states.matrix(), bench.workspace);
  } else {
    states = memory.clone();
  }
  Tensor logits({rows_of(last), vocab});
  model.projection().forward(states.matrix(), logits.matrix(), bench.workspace);
  std::vector<Results> results;
  for (int row = 0; row < last.count; ++row) {
    results.push_back({model.has_encoder() ? source.part(memory, row) : Tensor(), last.part(logits, row)});
  }
  return results;
}

}  // namespace transformer::testing

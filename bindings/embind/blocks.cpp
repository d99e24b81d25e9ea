#include "blocks.h"

#include <cmath>

#include "attention/additive.h"
#include "attention/luong.h"
#include "attention/position_bias.h"
#include "attention/scaled_dot_product.h"
#include "kernels/gemm.h"
#include "kernels/norm.h"
#include "kernels/softmax.h"
#include "layers/positional_encoding.h"
#include "layers/rotary_embedding.h"

namespace transformer::bindings {

namespace {

Shape leading_axes(const Tensor& x, int kept, const char* name, const char* wanted) {
  require(static_cast<int>(x.shape().size()) >= kept, name, " must have the shape ", wanted, ", got ",
          to_string(x.shape()));
  return Shape(x.shape().begin(), x.shape().end() - kept);
}

int last_axis(const Tensor& x, int from_end = 1) { return x.axis(static_cast<int>(x.shape().size()) - from_end); }

Shape joined(Shape leading, std::initializer_list<int> rest) {
  leading.insert(leading.end(), rest);
  return leading;
}

int product(const Shape& shape) { return static_cast<int>(element_count(shape)); }

// The strides of a dense [batch, heads, time, width].
template <class T>
HeadsView<T> dense_heads(T* data, int heads, int time, int width) {
  const std::ptrdiff_t head = static_cast<std::ptrdiff_t>(time) * width;
  return {data, heads * head, head, width};
}

// The i-th of the matrices that the last two axes of x hold.
View matrix_at(Tensor& x, int index) {
  const int rows = last_axis(x, 2);
  return x.matrix().row_range(index * rows, rows);
}

const float* vector_of(const Tensor& x, int size, const char* name) {
  require(x.shape() == Shape{size}, name, " must have the shape ", to_string({size}), ", got ", to_string(x.shape()));
  return x.data();
}

const float* optional_vector(const Tensor& x, int size, const char* name) {
  return x.empty() ? nullptr : vector_of(x, size, name);
}

void require_matrix(const Tensor& x, int cols, const char* name, const char* wanted) {
  require(x.shape().size() == 2 && x.axis(1) == cols, name, " must have the shape ", wanted, " with ", cols,
          " columns, got ", to_string(x.shape()));
}

}  // namespace

val scaled_dot_product_attention(Context& context, const val& query_js, const val& key_js, const val& value_js,
                                 const val& options_js) {
  const Options options(options_js);
  Tensor query = tensor_from_js(query_js, "query");
  Tensor key = tensor_from_js(key_js, "key");
  Tensor value = tensor_from_js(value_js, "value");
  Shape leading = leading_axes(query, 2, "query", "[..., queries, d_k]");
  leading =
      broadcast_shapes(leading, leading_axes(key, 2, "key", "[..., keys, d_k]"), "the leading axes of query and key");
  leading = broadcast_shapes(leading, leading_axes(value, 2, "value", "[..., keys, d_v]"),
                             "the leading axes of query and value");
  const int queries = last_axis(query, 2);
  const int keys = last_axis(key, 2);
  const int d_k = last_axis(query);
  const int d_v = last_axis(value);
  require(last_axis(key) == d_k, "key must be as wide as query, ", d_k, ", got the shape ", to_string(key.shape()));
  require(last_axis(value, 2) == keys, "value must have as many rows as key, ", keys, ", got the shape ",
          to_string(value.shape()));
  query = broadcast_leading(std::move(query), leading, 2, "query");
  key = broadcast_leading(std::move(key), leading, 2, "key");
  value = broadcast_leading(std::move(value), leading, 2, "value");

  // The last leading axis is the heads, all before it are the batch.
  const int heads = leading.empty() ? 1 : leading.back();
  const int batch = leading.empty() ? 1 : product(Shape(leading.begin(), leading.end() - 1));
  const Shape scores = {batch, heads, queries, keys};
  const auto flattened = [&](Tensor term, const char* name) {
    if (term.shape().size() <= 3 || leading.size() <= 2) return term;
    require(term.shape().size() <= leading.size() + 2, name, " has more axes than the scores");
    const Shape own = {last_axis(term, 2), last_axis(term)};
    return broadcast_leading(std::move(term), leading, 2, name).reshaped({batch, heads, own[0], own[1]});
  };
  const Tensor mask_term = flattened(options.mask("mask"), "mask");
  const Tensor bias_term = flattened(options.bias("bias"), "bias");
  Mask mask;
  mask.mask = broadcast_bias(mask_term, "mask", scores);
  mask.bias = broadcast_bias(bias_term, "bias", scores);
  mask.causal = options.flag("isCausal");
  mask.window = options.integer("window", -1);

  Arena arena;
  Workspace workspace{arena, context.threads, nullptr, {}};
  const KvCache::Size size = {batch, heads, d_k, d_v, keys};
  KvCache cache(size, arena.take(KvCache::float_count(size)));
  for (int row = 0; row < batch; ++row) {
    cache.append(row, keys, dense_heads<const float>(key.data(), heads, keys, d_k),
                 dense_heads<const float>(value.data(), heads, keys, d_v));
  }
  Tensor output(joined(leading, {queries, d_v}));
  Tensor weights;
  const float scale =
      static_cast<float>(options.number("scale", 1.0 / std::sqrt(static_cast<double>(std::max(d_k, 1)))));
  const bool need_weights = options.flag("needWeights");
  transformer::scaled_dot_product_attention(
      {dense_heads<const float>(query.data(), heads, queries, d_k), batch, queries, heads, cache, mask, scale},
      dense_heads(output.data(), heads, queries, d_v), {.weights = need_weights ? &weights : nullptr}, workspace);

  val result = val::object();
  result.set("output", to_js(output));
  if (need_weights) result.set("weights", to_js(std::move(weights).reshaped(joined(leading, {queries, keys}))));
  return result;
}

namespace {

// The arguments that additive and Luong attention share, with the leading axes already repeated.
struct ScoreCall {
  Tensor queries;
  Tensor keys;
  Tensor values;
  Tensor mask;  // [leading..., queries, keys], or empty
  Shape leading;
  int query_count;
  int key_count;
};

ScoreCall read_score_call(const val& queries_js, const val& keys_js, const Options& options) {
  ScoreCall call;
  call.queries = tensor_from_js(queries_js, "queries");
  call.keys = tensor_from_js(keys_js, "keys");
  call.values = options.has("values") ? options.tensor("values") : call.keys.clone();
  call.leading = broadcast_shapes(leading_axes(call.queries, 2, "queries", "[..., queries, d_query]"),
                                  leading_axes(call.keys, 2, "keys", "[..., keys, d_key]"),
                                  "the leading axes of queries and keys");
  call.leading = broadcast_shapes(call.leading, leading_axes(call.values, 2, "values", "[..., keys, d_v]"),
                                  "the leading axes of queries and values");
  call.query_count = last_axis(call.queries, 2);
  call.key_count = last_axis(call.keys, 2);
  require(last_axis(call.values, 2) == call.key_count, "values must have as many rows as keys, ", call.key_count,
          ", got the shape ", to_string(call.values.shape()));
  call.queries = broadcast_leading(std::move(call.queries), call.leading, 2, "queries");
  call.keys = broadcast_leading(std::move(call.keys), call.leading, 2, "keys");
  call.values = broadcast_leading(std::move(call.values), call.leading, 2, "values");

  Tensor mask = options.mask("mask");
  if (!mask.empty()) {
    // [keys], [batch, keys] or [..., queries, keys]: a mask with as many axes as the batch has is one for each
    // sequence.
    const bool per_sequence = mask.shape().size() == call.leading.size() + 1 && !call.leading.empty() &&
                              mask.shape() == joined(call.leading, {call.key_count});
    Shape shape = mask.shape();
    if (per_sequence || shape.size() == 1) shape.insert(shape.end() - 1, 1);
    const Shape full = joined(call.leading, {call.query_count, call.key_count});
    require(broadcast_shapes(shape, full, "mask and scores") == full, "mask of shape ", to_string(mask.shape()),
            " does not broadcast to the scores ", to_string(full));
    mask = broadcast_leading(std::move(mask).reshaped(joined(shape, {1})), full, 1, "mask").reshaped(full);
  }
  call.mask = std::move(mask);
  return call;
}

// Runs one sequence after the other: score_rows fills its scores, adjust_bias changes what is added to them before the
// softmax, adjust_weights changes the weights after it and says whether it did.
template <class ScoreRows, class AdjustBias, class AdjustWeights>
val attend(Context& context, ScoreCall& call, const ScoreRows& score_rows, const AdjustBias& adjust_bias,
           const AdjustWeights& adjust_weights) {
  Arena arena;
  Workspace workspace{arena, context.threads, nullptr, {}};
  Tensor scores(joined(call.leading, {call.query_count, call.key_count}));
  Tensor weights(scores.shape());
  Tensor output(joined(call.leading, {call.query_count, last_axis(call.values)}));
  for (int i = 0; i < product(call.leading); ++i) {
    const View score_matrix = matrix_at(scores, i);
    const View weight_matrix = matrix_at(weights, i);
    const View context_matrix = matrix_at(output, i);
    score_rows(matrix_at(call.queries, i), matrix_at(call.keys, i), score_matrix, workspace);
    Tensor bias = Tensor::zeros({call.query_count, call.key_count});
    if (!call.mask.empty()) std::copy_n(matrix_at(call.mask, i).data, bias.size(), bias.data());
    adjust_bias(i, bias.matrix());
    attend_by_scores({score_matrix, weight_matrix, context_matrix}, bias.matrix(), matrix_at(call.values, i),
                     workspace);
    if (adjust_weights(i, weight_matrix))
      weighted_sum(weight_matrix, matrix_at(call.values, i), context_matrix, workspace);
  }
  val result = val::object();
  result.set("context", to_js(output));
  result.set("weights", to_js(weights));
  result.set("scores", to_js(scores));
  return result;
}

}  // namespace

val additive_attention(Context& context, const val& queries, const val& keys, const val& options_js) {
  const Options options(options_js);
  ScoreCall call = read_score_call(queries, keys, options);
  const Tensor Ws = options.tensor("Ws");
  const Tensor Wh = options.tensor("Wh");
  const Tensor v = options.tensor("v");
  const Tensor bias = options.tensor("bias");
  require_matrix(Ws, last_axis(call.queries), "Ws", "[d_attention, d_query]");
  require_matrix(Wh, last_axis(call.keys), "Wh", "[d_attention, d_key]");
  const int width = Ws.axis(0);
  require(Wh.axis(0) == width, "Ws and Wh must have as many rows, got ", to_string(Ws.shape()), " and ",
          to_string(Wh.shape()));
  const AdditiveWeights weights = {Ws.matrix(), Wh.matrix(), vector_of(v, width, "v"),
                                   optional_vector(bias, width, "bias")};
  return attend(
      context, call,
      [&](ConstView s, ConstView h, View scores, Workspace& workspace) {
        additive_scores(s, h, weights, scores, workspace);
      },
      [](int, View) {}, [](int, View) { return false; });
}

val luong_attention(Context& context, const val& queries, const val& keys, const val& options_js) {
  const Options options(options_js);
  ScoreCall call = read_score_call(queries, keys, options);
  const int d_query = last_axis(call.queries);
  const int d_key = last_axis(call.keys);
  const std::string score = options.text("score", "dot");
  const Tensor W = options.tensor("W");
  const Tensor v = options.tensor("v");
  if (score == "dot") {
    require(d_query == d_key, "the dot score needs queries and keys of one width, got ", d_query, " and ", d_key);
  } else if (score == "general") {
    require_matrix(W, d_key, "W", "[d_query, d_key]");
    require(W.axis(0) == d_query, "W must have the shape [d_query, d_key] = ", to_string({d_query, d_key}), ", got ",
            to_string(W.shape()));
  } else {
    require(score == "concat", "score must be 'dot', 'general' or 'concat', got '", score, "'");
    require_matrix(W, d_query + d_key, "W", "[d_attention, d_query + d_key]");
    vector_of(v, W.axis(0), "v");
  }

  Tensor centers = options.tensor("centers");
  const float D = static_cast<float>(options.number("D", 0));
  if (!centers.empty()) {
    require(D > 0, "local.D must be positive, got ", D);
    centers = broadcast_leading(std::move(centers).reshaped(joined(centers.shape(), {1})),
                                joined(call.leading, {call.query_count}), 1, "local.centers");
  }
  const auto centers_of = [&](int i) { return centers.data() + static_cast<std::ptrdiff_t>(i) * call.query_count; };
  const bool gaussian = options.flag("gaussian");
  return attend(
      context, call,
      [&](ConstView s, ConstView h, View scores, Workspace& workspace) {
        if (score == "dot") luong_dot_scores(s, h, scores, workspace);
        if (score == "general") luong_general_scores(s, h, W.matrix(), scores, workspace);
        if (score == "concat") luong_concat_scores(s, h, W.matrix(), v.data(), scores, workspace);
      },
      [&](int i, View bias) {
        if (!centers.empty()) mask_outside_window(centers_of(i), D, bias);
      },
      [&](int i, View weights) {
        if (centers.empty() || !gaussian) return false;
        favour_center(centers_of(i), D, weights);
        return true;
      });
}

val softmax_of(Context&, const val& x_js) {
  Tensor x = tensor_from_js(x_js, "x");
  softmax(x.matrix(), x.matrix());
  return to_js(x);
}

val layer_norm_of(Context&, const val& x_js, const val& options_js) {
  const Options options(options_js);
  Tensor x = tensor_from_js(x_js, "x");
  const int width = x.matrix().cols;
  const Tensor weight = options.tensor("weight");
  const Tensor bias = options.tensor("bias");
  layer_norm(x.matrix(), optional_vector(weight, width, "weight"), optional_vector(bias, width, "bias"),
             static_cast<float>(options.number("eps", 1e-5)), x.matrix());
  return to_js(x);
}

val rms_norm_of(Context&, const val& x_js, const val& options_js) {
  const Options options(options_js);
  Tensor x = tensor_from_js(x_js, "x");
  const Tensor weight = options.tensor("weight");
  rms_norm(x.matrix(), optional_vector(weight, x.matrix().cols, "weight"),
           static_cast<float>(options.number("eps", 1e-5)), x.matrix());
  return to_js(x);
}

val matmul(Context& context, const val& a_js, const val& b_js) {
  Tensor a = tensor_from_js(a_js, "a");
  Tensor b = tensor_from_js(b_js, "b");
  const Shape leading = broadcast_shapes(leading_axes(a, 2, "a", "[..., m, k]"), leading_axes(b, 2, "b", "[..., k, n]"),
                                         "the leading axes of a and b");
  require(last_axis(a) == last_axis(b, 2), "a and b cannot be multiplied: ", to_string(a.shape()), " and ",
          to_string(b.shape()));
  if (b.shape().size() == 2) {  // one b for all: one product
    Tensor c(joined(leading, {last_axis(a, 2), last_axis(b)}));
    gemm(a.matrix(), PackedMatrix::from_rows(b.matrix()), c.matrix(), {}, context.threads);
    return to_js(c);
  }
  a = broadcast_leading(std::move(a), leading, 2, "a");
  b = broadcast_leading(std::move(b), leading, 2, "b");
  Tensor c(joined(leading, {last_axis(a, 2), last_axis(b)}));
  for (int i = 0; i < product(leading); ++i) {
    gemm(matrix_at(a, i), PackedMatrix::from_rows(matrix_at(b, i)), matrix_at(c, i), {}, context.threads);
  }
  return to_js(c);
}

val positional_encoding(Context&, int length, int d_model, const val& options_js) {
  const Options options(options_js);
  return to_js(sinusoidal_positions(length, d_model, options.number("base", 10000), options.integer("offset", 0)));
}

val rotary_embedding(Context&, const val& x_js, const val& options_js) {
  const Options options(options_js);
  Tensor x = tensor_from_js(x_js, "x");
  const Shape leading = leading_axes(x, 2, "x", "[..., time, d_head]");
  const int time = last_axis(x, 2);
  const int offset = options.integer("offset", 0);
  const RotaryEmbedding rotary(offset + time, last_axis(x), options.number("base", 10000),
                               options.flag("interleaved") ? RotaryLayout::kInterleaved : RotaryLayout::kHalves);
  for (int i = 0; i < product(leading); ++i) rotary.rotate(matrix_at(x, i), offset);
  return to_js(x);
}

val alibi(Context&, int heads, int queries, int keys) { return to_js(alibi_bias(heads, queries, keys)); }

}  // namespace transformer::bindings

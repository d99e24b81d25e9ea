#include "attention/attention.h"

#include <algorithm>
#include <cmath>

#include "attention/scaled_dot_product.h"
#include "base/broadcast.h"

namespace transformer {

namespace {

// The strides of a dense [batch, heads, time, width].
template <class T>
HeadsView<T> dense_heads(T* data, int heads, int time, int width) {
  const std::ptrdiff_t head = std::ptrdiff_t{time} * width;
  return {data, heads * head, head, width};
}

// Leading axes as [batch, heads]: the last axis is the heads, all before it are the batch.
struct BatchAndHeads {
  int batch = 1;
  int heads = 1;
};

BatchAndHeads split(const Shape& leading) {
  if (leading.empty()) return {};
  return {static_cast<int>(element_count(Shape(leading.begin(), leading.end() - 1))), leading.back()};
}

// Broadcasts the leading axes of query, key and value. -> these axes
Shape broadcast(AttentionArguments& a) {
  Shape leading = leading_axes(a.query, 2, "query", "[..., queries, d_k]");
  leading =
      broadcast_shapes(leading, leading_axes(a.key, 2, "key", "[..., keys, d_k]"), "the leading axes of query and key");
  leading = broadcast_shapes(leading, leading_axes(a.value, 2, "value", "[..., keys, d_v]"),
                             "the leading axes of query and value");
  require(last_axis(a.key) == last_axis(a.query), "key must have the width of query (", last_axis(a.query),
          "), got the shape ", to_string(a.key.shape()));
  require(last_axis(a.value, 2) == last_axis(a.key, 2), "value must have as many rows as key (", last_axis(a.key, 2),
          "), got the shape ", to_string(a.value.shape()));
  a.query = broadcast_leading(std::move(a.query), leading, 2, "query");
  a.key = broadcast_leading(std::move(a.key), leading, 2, "key");
  a.value = broadcast_leading(std::move(a.value), leading, 2, "value");
  return leading;
}

// A mask or bias with more than two leading axes, with all but the heads merged into one batch axis.
Tensor flattened(Tensor term, const Shape& leading, const char* name) {
  if (term.shape().size() <= 3 || leading.size() <= 2) return term;
  require(term.shape().size() <= leading.size() + 2, name, " has more axes than the scores");
  const auto [batch, heads] = split(leading);
  const Shape shape = {batch, heads, last_axis(term, 2), last_axis(term)};
  return broadcast_leading(std::move(term), leading, 2, name).reshaped(shape);
}

}  // namespace

AttentionResult scaled_dot_product_attention(AttentionArguments arguments, const AttentionOptions& options,
                                             Workspace& workspace) {
  const Shape leading = broadcast(arguments);
  const Tensor &query = arguments.query, &key = arguments.key, &value = arguments.value;
  const int queries = last_axis(query, 2), keys = last_axis(key, 2);
  const int d_k = last_axis(query), d_v = last_axis(value);
  const auto [batch, heads] = split(leading);
  const Tensor mask_term = flattened(mask_to_bias(std::move(arguments.mask), "mask"), leading, "mask");
  const Tensor bias_term = flattened(checked_bias(std::move(arguments.bias), "bias"), leading, "bias");
  const Shape scores = {batch, heads, queries, keys};
  Mask mask;
  mask.mask = broadcast_bias(mask_term, "mask", scores);
  mask.bias = broadcast_bias(bias_term, "bias", scores);
  mask.causal = options.is_causal;
  mask.window = std::min(options.window, std::max(queries, keys));  // no key is farther away

  AttentionResult result = {Tensor(joined(leading, {queries, d_v})), {}};
  if (result.output.size() == 0 && (!options.need_weights || element_count(scores) == 0)) {
    // Nothing to compute, along axes that may be as long as they like.
    if (options.need_weights) result.weights = Tensor(joined(leading, {queries, keys}));
    return result;
  }

  const Arena::Scope scope(workspace.arena);
  const KvCache::Size size = {batch, heads, d_k, d_v, keys};
  const std::size_t floats = KvCache::float_count(size);
  KvCache cache(size, {workspace.arena.take(floats), floats});
  cache.append({batch, keys}, dense_heads(key.data(), heads, keys, d_k), dense_heads(value.data(), heads, keys, d_v),
               workspace.threads);
  const float scale = options.scale.value_or(static_cast<float>(1.0 / std::sqrt(std::max(d_k, 1))));
  scaled_dot_product_attention(
      {dense_heads(query.data(), heads, queries, d_k), {batch, queries}, heads, cache, mask, scale},
      dense_heads(result.output.data(), heads, queries, d_v),
      {.weights = options.need_weights ? &result.weights : nullptr}, workspace);
  if (options.need_weights) result.weights = std::move(result.weights).reshaped(joined(leading, {queries, keys}));
  return result;
}

}  // namespace transformer

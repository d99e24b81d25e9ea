// The building blocks that have no weights to keep: each a function of typed arrays.
#pragma once

#include "context.h"

namespace transformer::bindings {

// { output, weights? }
val scaled_dot_product_attention(Context& context, const val& query, const val& key, const val& value,
                                 const val& options);

// { context, weights, scores }
val additive_attention(Context& context, const val& queries, const val& keys, const val& options);
val luong_attention(Context& context, const val& queries, const val& keys, const val& options);

// A tensor each.
val softmax_of(Context& context, const val& x);
val layer_norm_of(Context& context, const val& x, const val& options);
val rms_norm_of(Context& context, const val& x, const val& options);
val matmul(Context& context, const val& a, const val& b);
val positional_encoding(Context& context, int length, int d_model, const val& options);
val rotary_embedding(Context& context, const val& x, const val& options);
val alibi(Context& context, int heads, int queries, int keys);

}  // namespace transformer::bindings

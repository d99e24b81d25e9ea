// Softmax(scale Q K^T) V of every head, with its gradient (Vaswani et al. 2017, eq. 1).
#pragma once

#include "base/segments.h"
#include "training/tape.h"

namespace transformer::training {

struct HeadsOf {
  int heads;     // of queries
  int kv_heads;  // of keys and values; each serves heads / kv_heads heads of queries in a row
  int d_head;
};

// queries [rows, heads * d_head], keys and values [rows, kv_heads * d_head]: the queries of each sequence attend to the
// keys of the sequence with the same number.
struct AttentionValues {
  Value queries;
  Value keys;
  Value values;
  Segments query_rows;
  Segments key_rows;
};

// causal: query i attends to the keys up to i. Observable: weights [batch, heads, queries, keys].
// -> [rows, heads * d_head]
Value attend(Tape& tape, const AttentionValues& in, const HeadsOf& heads, float scale, bool causal);

}  // namespace transformer::training

#include "training/attention.h"

#include <algorithm>

#include "base/forbidden.h"
#include "kernels/elementwise.h"
#include "kernels/gemm.h"
#include "kernels/softmax.h"
#include "training/products.h"

namespace transformer::training {

namespace {

// The attention of one sequence. A task is a head of keys with the heads of queries that it serves, so that no two
// tasks add to the same gradient.
class HeadsAttention {
 public:
  HeadsAttention(const AttentionValues& in, Value out, const HeadsOf& heads, float scale, bool causal)
      : in_(in), out_(out), heads_(heads), scale_(scale), causal_(causal) {}

  int tasks() const { return in_.query_rows.batch * heads_.kv_heads; }
  double work() const {
    return 2.0 * heads_.heads * heads_.d_head * in_.query_rows.batch * in_.query_rows.time * in_.key_rows.time;
  }
  std::size_t weights_size() const {
    return std::size_t{1} * in_.query_rows.batch * heads_.heads * in_.query_rows.time * in_.key_rows.time;
  }
  // Of the memory of a task: two matrices of scores, their panels, those of a head, and a head's result.
  std::size_t scratch_size() const {
    const int queries = in_.query_rows.time, keys = in_.key_rows.time, longest = std::max(queries, keys);
    return std::size_t{2} * queries * keys + panel_floats(queries, heads_.d_head) + panel_floats(keys, heads_.d_head) +
           2 * panel_floats(heads_.d_head, longest) + std::size_t{1} * longest * heads_.d_head;
  }

  void forward(int task, float* weights, float* scratch) const {
    for_each_head(task, weights, [&](const Head& head) {
      const Panels keys = pack_transposed(head.k.x, scratch);
      gemm_block(head.q.x, keys, head.weights);
      for (int row = 0; row < head.weights.rows; ++row) {
        float* scores = head.weights.row(row);
        const int count = head.weights.cols;
        const int seen = causal_ ? std::min(count, row + 1) : count;
        scale_row(scores, scores, seen, scale_);
        std::fill(scores + seen, scores + count, kForbidden);
      }
      softmax(head.weights, head.weights);
      gemm_block(head.weights, pack(head.v.x, scratch), head.out.x);
    });
  }

  // With dP = dO V^T and dS = P * (dP - rowsum(dP * P)) * scale:
  // dQ = dS K, dK = dS^T Q, dV = P^T dO.
  void backward(int task, float* weights, float* scratch) const {
    for_each_head(task, weights, [&](const Head& head) {
      const int queries = head.weights.rows, keys = head.weights.cols, width = heads_.d_head;
      float* at = scratch;
      const auto take = [&](int rows, int cols) {
        const View taken = {at, rows, cols, cols};
        at += std::ptrdiff_t{rows} * cols;
        return taken;
      };
      const View turned = take(keys, queries);
      const View scores = take(queries, keys);
      const View change = take(std::max(queries, keys), width);
      transpose(head.weights, turned);
      gemm_block(turned, pack(head.out.gradient, at), change.row_range(0, keys));
      add_to(head.v.gradient, change.row_range(0, keys));
      gemm_block(head.out.gradient, pack_transposed(head.v.x, at), scores);
      for (int row = 0; row < queries; ++row) {
        float* dp = scores.row(row);
        const float* p = head.weights.row(row);
        const float mean = dot(dp, p, keys);
        for (int key = 0; key < keys; ++key) dp[key] = p[key] * (dp[key] - mean) * scale_;
      }
      gemm_block(scores, pack(head.k.x, at), change.row_range(0, queries));
      add_to(head.q.gradient, change.row_range(0, queries));
      transpose(scores, turned);
      gemm_block(turned, pack(head.q.x, at), change.row_range(0, keys));
      add_to(head.k.gradient, change.row_range(0, keys));
    });
  }

 private:
  struct Head {
    Value q, k, v, out;
    View weights;  // [queries, keys]
  };

  static Value part(Value x, int first, int rows, int col, int cols) {
    const auto cut = [&](View view) { return view.data ? view.row_range(first, rows).column_range(col, cols) : view; };
    return {cut(x.x), cut(x.gradient)};
  }

  template <class Body>
  void for_each_head(int task, float* weights, const Body& body) const {
    const int sequence = task / heads_.kv_heads, kv_head = task % heads_.kv_heads;
    const int shared = heads_.heads / heads_.kv_heads, width = heads_.d_head;
    const Segments &queries = in_.query_rows, &keys = in_.key_rows;
    const int rows = queries.length(sequence), cols = keys.length(sequence);
    const auto of_key = [&](Value x) { return part(x, keys.first(sequence), cols, kv_head * width, width); };
    for (int head = kv_head * shared; head < (kv_head + 1) * shared; ++head) {
      const auto of_query = [&](Value x) { return part(x, queries.first(sequence), rows, head * width, width); };
      const std::ptrdiff_t place = (std::ptrdiff_t{sequence} * heads_.heads + head) * queries.time * keys.time;
      body(Head{of_query(in_.queries), of_key(in_.keys), of_key(in_.values), of_query(out_),
                View{weights + place, rows, cols, cols}});
    }
  }

  AttentionValues in_;
  Value out_;
  HeadsOf heads_;
  float scale_;
  bool causal_;
};

template <class Body>
void for_all_tasks(const HeadsAttention& attention, double work, Tape& tape, const Body& body) {
  const Arena::Scope scope(tape.arena());
  const std::size_t size = attention.scratch_size();
  float* scratch = tape.arena().take(size * tape.threads().size());
  tape.threads().parallel_for(attention.tasks(), work,
                              [&](int task, int thread) { body(task, scratch + size * thread); });
}

// [batch, heads, queries, keys], zero where a sequence is shorter.
void record_weights(const AttentionValues& in, int heads, const float* weights, Workspace& workspace) {
  const int batch = in.query_rows.batch, queries = in.query_rows.time, keys = in.key_rows.time;
  Tensor recorded = Tensor::zeros({batch, heads, queries, keys});
  float* to = recorded.data();
  const std::ptrdiff_t size = std::ptrdiff_t{queries} * keys;
  for (int i = 0; i < batch * heads; ++i, weights += size, to += size) {
    const int rows = in.query_rows.length(i / heads), cols = in.key_rows.length(i / heads);
    copy_rows(ConstView{weights, rows, cols, cols}, View{to, rows, cols, keys});
  }
  workspace.record("weights", std::move(recorded));
}

}  // namespace

Value attend(Tape& tape, const AttentionValues& in, const HeadsOf& heads, float scale, bool causal) {
  const Value out = tape.make(in.queries.x.rows, in.queries.x.cols);
  const HeadsAttention attention(in, out, heads, scale, causal);
  float* weights = tape.arena().take(attention.weights_size());
  for_all_tasks(attention, attention.work(), tape,
                [&](int task, float* scratch) { attention.forward(task, weights, scratch); });
  if (tape.workspace().wants("weights")) record_weights(in, heads.heads, weights, tape.workspace());
  tape.on_way_back([=, &tape] {
    for_all_tasks(attention, 2 * attention.work(), tape,
                  [&](int task, float* scratch) { attention.backward(task, weights, scratch); });
  });
  return out;
}

}  // namespace transformer::training

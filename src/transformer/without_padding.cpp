#include "transformer/without_padding.h"

#include <algorithm>

namespace transformer {

namespace {

// Up to the padding; all of them if some padding has a token after it.
int real_tokens(const ScoreBias& padding, int time, int sequence) {
  const float* keys = padding.data + sequence * padding.batch;
  const float* end = std::find(keys, keys + time, kForbidden);
  return static_cast<int>((std::find(end, keys + time, 0.0f) == keys + time ? end : keys + time) - keys);
}

void append(std::span<const int> part, std::vector<int>& all) { all.insert(all.end(), part.begin(), part.end()); }

void copy(const Segments& from, ConstView rows, const Segments& to, View copies) {
  for (int i = 0; i < from.batch; ++i) {
    for (int row = 0; row < std::min(from.length(i), to.length(i)); ++row) {
      std::copy_n(rows.row(from.first(i) + row), rows.cols, copies.row(to.first(i) + row));
    }
  }
}

}  // namespace

WithoutPadding::WithoutPadding(const Sequences& padded, const ScoreBias& padding) : padded_(padded.segments()) {
  for (int i = 0; i < padded.batch; ++i) {
    const int length = real_tokens(padding, padded_.time, i);
    const int first = padded_.first(i);
    if (!padded.ids.empty()) append(padded.ids.subspan(first, length), ids_);
    if (!padded.token_types.empty()) append(padded.token_types.subspan(first, length), types_);
    longest_ = std::max(longest_, length);
    offsets_.push_back(offsets_.back() + length);
  }
  if (!padded.vectors.data) return;
  vectors_ = Tensor({offsets_.back(), padded.vectors.cols});
  copy(padded_, padded.vectors, segments(), vectors_.matrix());
}

Sequences WithoutPadding::sequences() const {
  Sequences real = {segments().batch, longest_, ids_, {}, types_, offsets_};
  if (!vectors_.empty()) real.vectors = vectors_.matrix();
  return real;
}

Tensor WithoutPadding::padded(const Tensor& rows) const {
  Tensor all = Tensor::zeros({padded_.rows(), rows.axis(1)});
  copy(segments(), rows.matrix(), padded_, all.matrix());
  return all;
}

}  // namespace transformer

#include "recurrent/packed_sequences.h"

#include <algorithm>
#include <numeric>

namespace transformer {

namespace {
void copy_row(ConstView from, int from_row, View to, int to_row) {
  std::copy_n(from.row(from_row), from.cols, to.row(to_row));
}
}  // namespace

void check_lengths(std::span<const int> lengths, int batch, int time) {
  require(lengths.size() == static_cast<std::size_t>(batch), "expected a length for each of the ", batch,
          " sequences, got ", lengths.size());
  for (int length : lengths) {
    require(length >= 0 && length <= time, "a length lies between 0 and the ", time, " steps of the batch, got ",
            length);
  }
}

PackedSequences::PackedSequences(int batch, int time, std::span<const int> lengths) : time_(time) {
  if (!lengths.empty()) check_lengths(lengths, batch, time);
  const auto length_of = [&](int sequence) {
    return lengths.empty() ? time : lengths[static_cast<std::size_t>(sequence)];
  };
  order_.resize(static_cast<std::size_t>(batch));
  std::iota(order_.begin(), order_.end(), 0);
  const auto is_before = [&](int a, int b) {
    return length_of(a) > length_of(b) || (length_of(a) == length_of(b) && a < b);
  };
  std::make_heap(order_.begin(), order_.end(), is_before);  // a third of the code of std::sort
  std::sort_heap(order_.begin(), order_.end(), is_before);

  begin_.push_back(0);
  int active = batch;
  for (int step = 0; batch > 0 && step < length_of(order_.front()); ++step) {
    while (length_of(order_[static_cast<std::size_t>(active) - 1]) <= step) --active;
    begin_.push_back(begin_.back() + active);
  }
}

void PackedSequences::pack(ConstView padded, View packed) const {
  for (int step = 0; step < steps(); ++step) {
    const View rows = at(packed, step);
    for (int row = 0; row < rows.rows; ++row) {
      copy_row(padded, order_[static_cast<std::size_t>(row)] * time_ + step, rows, row);
    }
  }
}

void PackedSequences::unpack(ConstView packed, View padded) const {
  for (int step = 0; step < time_; ++step) {
    const ConstView rows = step < steps() ? at(packed, step) : ConstView{};
    for (int row = 0; row < static_cast<int>(order_.size()); ++row) {
      const int to = order_[static_cast<std::size_t>(row)] * time_ + step;
      if (row < rows.rows) {
        copy_row(rows, row, padded, to);
      } else {
        std::fill_n(padded.row(to), padded.cols, 0.0f);
      }
    }
  }
}

void PackedSequences::sort(ConstView given, View sorted) const {
  for (int row = 0; row < sorted.rows; ++row) copy_row(given, order_[static_cast<std::size_t>(row)], sorted, row);
}

void PackedSequences::unsort(ConstView sorted, View given) const {
  for (int row = 0; row < sorted.rows; ++row) copy_row(sorted, row, given, order_[static_cast<std::size_t>(row)]);
}

}  // namespace transformer

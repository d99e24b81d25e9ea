// The state of a recurrent decoder.
#pragma once

#include <span>
#include <vector>

#include "recurrent/alignment.h"
#include "recurrent/cell.h"

namespace transformer {

// The encoder's output for a batch of sources.
struct RecurrentMemory {
  Tensor states;             // [batch, time, key_size], zeros beyond a source's length
  Tensor hidden;             // [batch, state_size] after each source's last step
  Tensor cell;               // the same, of an LSTM
  std::vector<int> lengths;  // [batch]
};

// Made by RecurrentDecoder::start, advanced by RecurrentDecoder::forward, never by itself.
class RecurrentDecoderState {
 public:
  struct Size {
    int rows;
    int hidden;  // h of all layers
    int cell;    // c of all layers, of an LSTM
    int fed;     // what is fed back beside it
  };

  // All zeros. keys: what the alignment makes of the memory's states.
  RecurrentDecoderState(RecurrentMemory memory, Tensor keys, const Size& size);

  int rows() const { return size_.rows; }
  int length() const { return length_; }  // tokens seen
  void advance(int tokens) { length_ += tokens; }

  // Row i goes on from what row sources[i] was, which attends to the same source: the beams that live on.
  void reorder(std::span<const int> sources);

  const RecurrentMemory& memory() const { return memory_; }
  AlignmentMemory attended() const {
    return {memory_.states.matrix(), keys_.matrix(), memory_.states.axis(1), memory_.lengths};
  }
  // [rows, ...] each
  CellState cells() { return {columns(0, size_.hidden), columns(size_.hidden, size_.cell)}; }
  View numbers() { return rows_.matrix(); }  // all of these
  View fed() { return columns(size_.hidden + size_.cell, size_.fed); }

 private:
  View columns(int begin, int count) { return rows_.matrix().column_range(begin, count); }

  RecurrentMemory memory_;
  Tensor keys_;
  Size size_;
  int length_ = 0;
  Tensor rows_;   // [rows, hidden + cell + fed]
  Tensor spare_;  // the same, for reorder
};

}  // namespace transformer

// Which rows of a matrix belong to each sequence of a batch: all tokens of all sequences, one sequence below the other.
#pragma once

#include <span>

namespace transformer {

// Refers to the offsets. Without them every sequence has `time` rows.
struct Segments {
  int batch = 0;                      // sequences
  int time = 0;                       // rows of the longest one
  std::span<const int> offsets = {};  // [batch + 1]: the first row of each sequence, then the number of all rows
  int columns = 0;                    // of the grid that each sequence's tokens form (patches of a picture); 0: none

  int first(int sequence) const { return offsets.empty() ? sequence * time : offsets[sequence]; }
  int length(int sequence) const { return offsets.empty() ? time : offsets[sequence + 1] - offsets[sequence]; }
  int rows() const { return first(batch); }
};

}  // namespace transformer

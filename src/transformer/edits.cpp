#include "transformer/edits.h"

#include <algorithm>

#include "transformer/observable_paths.h"

namespace transformer {

namespace {

// What a pass computes besides, and does not go on with.
bool is_only_read(std::string_view path) { return path.ends_with(".logits") || path.ends_with(".cells"); }

// The chosen places of an axis; all of them if none is named.
struct Axis {
  const std::vector<int>& chosen;

  bool is_chosen(int place) const { return ordinal(place) >= 0; }

  // Among the chosen ones; -1 if it is not one of them.
  int ordinal(int place) const {
    if (chosen.empty()) return place;
    const auto found = std::find(chosen.begin(), chosen.end(), place);
    return found == chosen.end() ? -1 : static_cast<int>(found - chosen.begin());
  }

  // Where the values of a place stand in an axis of `count` values; -1 if they do not reach it.
  int value_of(int place, int count) const {
    if (count == 1) return 0;
    const int index = count == count_of(chosen) ? ordinal(place) : place;
    return index < count ? index : -1;
  }
};

// Of a row of the tensor the columns [begin, begin + count); `values` has one for all, one for each, or those of the
// whole row.
void change(EditKind kind, ConstView values, float* row, int begin, int count) {
  const int step = values.cols == 1 ? 0 : 1, offset = values.cols <= count ? 0 : begin;
  for (int i = 0; i < count; ++i) {
    const float value = values.data[offset + i * step];
    float& x = row[begin + i];
    if (kind == EditKind::kSet) {
      x = value;
    } else if (kind == EditKind::kAdd) {
      x += value;
    } else {
      x *= value;
    }
  }
}

}  // namespace

Edits::Edits(std::vector<Edit> edits, const Transformer& model, const std::vector<std::string>& paths) : model_(model) {
  for (Edit& edit : edits) {
    require_matches({edit.at}, paths, "edits");
    for (const std::string& path : paths) {
      if (!matches(edit.at, path)) continue;
      require(!is_only_read(path), "edits: ", path, " can be traced, but not edited");
      const int heads = heads_at(model, path);
      require(edit.heads.empty() || heads > 0, "edits: ", path, " has no heads");
      for (const int head : edit.heads) {
        require(head >= 0 && head < heads, "edits: ", path, " has no head ", head, "; it has ", heads);
      }
    }
    Use use = {std::move(edit), {}, {}};
    use.rows.resize(use.edit.rows.size());
    use.positions.resize(use.edit.positions.size());
    uses_.push_back(std::move(use));
  }
}

bool Edits::edits(std::string_view path) const {
  return std::any_of(uses_.begin(), uses_.end(), [path](const Use& use) { return matches(use.edit.at, path); });
}

void Edits::edit(std::string_view path, View x, const Shape& shape) {
  for (Use& use : uses_) {
    if (matches(use.edit.at, path)) apply(use, heads_at(model_, path), x, shape);
  }
}

void Edits::apply(Use& use, int heads, View x, const Shape& shape) const {
  const Edit& edit = use.edit;
  const bool is_map = shape.size() == 4;  // [batch, heads, queries, keys], and else [batch, time, width]
  // Rows of a map are of one head; rows of the others have the columns of all heads, or of a single part.
  const int groups = is_map ? shape[1] : 1, time = shape[shape.size() - 2];
  const int parts = is_map || edit.heads.empty() ? 1 : heads, width = x.cols / parts;
  const Shape& given = edit.values.shape();
  // The size of the values' axis that is so many before the last.
  const auto count = [&](int before) { return before < count_of(given) ? given[given.size() - 1 - before] : 1; };
  const auto require_fit = [&](bool fits) {
    require(fits, "edits: ", edit.at, " is ", to_string(shape), ", the values are ", to_string(given));
  };
  require_fit(count_of(given) <= count_of(shape) && (count(0) == 1 || count(0) == width || count(0) == x.cols));
  const ConstView values = {edit.values.data(), 1, count(0), count(0)};
  const Axis sequences = {edit.rows}, tokens = {edit.positions}, chosen_heads = {edit.heads};
  for (int index = 0; index < x.rows; ++index) {
    const int t = index % time, group = index / time % groups, sequence = index / time / groups;
    const int place = t + (sequence < count_of(first_) ? first_[sequence] : 0);
    if (!sequences.is_chosen(sequence) || !tokens.is_chosen(place) || (is_map && !chosen_heads.is_chosen(group)))
      continue;
    if (!edit.rows.empty()) use.rows[sequences.ordinal(sequence)] = true;
    if (!edit.positions.empty()) use.positions[tokens.ordinal(place)] = true;
    const int from_token = tokens.value_of(place, count(1));
    if (from_token < 0 && edit.in_steps) continue;
    const int from_sequence = sequences.value_of(sequence, count(is_map ? 3 : 2));
    const int from_group = is_map ? chosen_heads.value_of(group, count(2)) : 0;
    require_fit(from_token >= 0 && from_sequence >= 0 && from_group >= 0 && (edit.in_steps || count(1) <= time));
    const ConstView from =
        values.row_range((from_sequence * (is_map ? count(2) : 1) + from_group) * count(1) + from_token, 1);
    for (int part = 0; part < parts; ++part) {
      if (parts == 1 || chosen_heads.is_chosen(part)) change(edit.kind, from, x.row(index), part * width, width);
    }
  }
}

void Edits::require_used() const {
  const auto check = [](const Edit& edit, const std::vector<int>& given, const std::vector<bool>& used,
                        const char* what) {
    for (int i = 0; i < count_of(given); ++i) {
      require(used[i], "edits: ", edit.at, " has no ", what, " ", given[i]);
    }
  };
  for (const Use& use : uses_) {
    if (use.edit.in_steps) continue;
    check(use.edit, use.edit.rows, use.rows, "row");
    check(use.edit, use.edit.positions, use.positions, "position");
  }
}

}  // namespace transformer

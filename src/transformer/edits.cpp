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
  int size;       // of the tensor
  int first = 0;  // the place of its first element among all tokens

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

void change(EditKind kind, float value, float& x) {
  if (kind == EditKind::kSet) {
    x = value;
  } else if (kind == EditKind::kAdd) {
    x += value;
  } else {
    x *= value;
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
  const bool has_maps = shape.size() == 4;  // [batch, heads, queries, keys], and else [batch, time, width]
  const int time = shape[shape.size() - 2];
  const Shape& given = edit.values.shape();
  // The size of the values' axis that is so many before the last.
  const auto count = [&](int before) { return before < count_of(given) ? given[given.size() - 1 - before] : 1; };
  const int columns = count(0), width = has_maps || edit.heads.empty() ? x.cols : x.cols / std::max(heads, 1);
  require(count_of(given) <= count_of(shape) && (columns == 1 || columns == width || columns == x.cols),
          "edits: ", edit.at, " is ", to_string(shape), ", the values are ", to_string(given));
  const Axis batch = {edit.rows, shape[0]}, groups = {edit.heads, has_maps ? shape[1] : 1};
  for (int row = 0; row < shape[0]; ++row) {
    if (!batch.is_chosen(row)) continue;
    if (!edit.rows.empty()) use.rows[batch.ordinal(row)] = true;
    const int first = row < count_of(first_) ? first_[row] : 0;
    const Axis tokens = {edit.positions, time};
    for (int t = 0; t < time; ++t) {
      const int place = first + t;
      if (!tokens.is_chosen(place)) continue;
      if (!edit.positions.empty()) use.positions[tokens.ordinal(place)] = true;
      const int from_row = batch.value_of(row, count(has_maps ? 3 : 2)), from_token = tokens.value_of(place, count(1));
      if (from_token < 0 && edit.in_steps) continue;
      require(from_row >= 0 && from_token >= 0 && (edit.in_steps || count(1) <= std::max(time, 1)), "edits: ", edit.at,
              " is ", to_string(shape), ", the values are ", to_string(given));
      for (int head = 0; head < (has_maps ? shape[1] : std::max(heads, 1)); ++head) {
        if (!edit.heads.empty() && std::find(edit.heads.begin(), edit.heads.end(), head) == edit.heads.end()) continue;
        const int from_head = has_maps ? groups.value_of(head, count(2)) : 0;
        require(from_head >= 0, "edits: ", edit.at, " is ", to_string(shape), ", the values are ", to_string(given));
        const std::ptrdiff_t from =
            ((has_maps ? std::ptrdiff_t{from_row} * count(2) + from_head : from_row) * std::ptrdiff_t{count(1)} +
             from_token) *
            columns;
        float* to = x.row(has_maps ? (row * shape[1] + head) * time + t : row * time + t);
        const int begin = has_maps || edit.heads.empty() ? 0 : head * width;
        for (int i = 0; i < width; ++i) {
          const int column = columns == 1 ? 0 : columns == width ? i : begin + i;
          change(edit.kind, edit.values.data()[from + column], to[begin + i]);
        }
        if (!has_maps && edit.heads.empty()) break;  // all columns at once
      }
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

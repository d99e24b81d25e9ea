#include "weights/packed_words.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/tensor.h"

namespace transformer {

namespace {

constexpr int kIntegers = 8;  // of a word
constexpr int kMiddle = 8;    // the zero point where none is stored

// AutoAWQ packs eight columns as 0, 2, 4, 6, 1, 3, 5, 7.
constexpr int kInterleaved[kIntegers] = {0, 4, 1, 5, 2, 6, 3, 7};

template <class T>
T read(std::span<const std::uint8_t> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// One of `count` integers of 32 or 64 bits.
std::int64_t read_integer(std::span<const std::uint8_t> bytes, std::size_t index, std::size_t count) {
  return bytes.size() == 8 * count ? read<std::int64_t>(bytes, index) : read<std::int32_t>(bytes, index);
}

int nibble(std::span<const std::uint8_t> words, std::size_t word, int place) {
  return static_cast<int>(read<std::uint32_t>(words, word) >> (4 * place) & 15);
}

void require_bytes(const std::string& name, std::span<const std::uint8_t> bytes, std::size_t expected) {
  require(bytes.size() == expected, "the part '", name, "' has ", bytes.size(), " bytes, expected ", expected);
}

}  // namespace

PackedWords::PackedWords(const PackedLayout& layout, const PackedParts& parts) : layout_(layout), parts_(parts) {
  require_sizes();
  require_shape();
  require_scales();
  read_groups();
}

void PackedWords::require_sizes() const {
  const int inputs = layout_.inputs, outputs = layout_.outputs;
  require(inputs > 0 && outputs > 0 && layout_.group_size > 0 &&
              (layout_.kind == PackedKind::kAwq ? outputs : inputs) % kIntegers == 0,
          "there is no packed matrix [", outputs, ", ", inputs, "] in groups of ", layout_.group_size);
  require(block_of(layout_.scale_type).numbers == 1 && layout_.scale_type != StoredType::kI8, "scales are floats");
  require_bytes(layout_.integers, parts_.integers, element_count({outputs, inputs}) / 2);
  require_bytes(layout_.scales, parts_.scales, bytes_of(layout_.scale_type, element_count({outputs, group_count()})));
  if (!layout_.zeros.empty()) {
    require_bytes(layout_.zeros, parts_.zeros, element_count({ceil_div(outputs, kIntegers), group_count()}) * 4);
  }
  const std::size_t order = element_count({inputs}) * (parts_.order.size() / inputs == 8 ? 8 : 4);
  if (!layout_.order.empty()) require_bytes(layout_.order, parts_.order, order);
  if (!layout_.shape.empty()) require_bytes(layout_.shape, parts_.shape, parts_.shape.size() == 16 ? 16 : 8);
}

void PackedWords::require_shape() const {
  if (layout_.shape.empty()) return;
  const std::int64_t first = read_integer(parts_.shape, 0, 2), second = read_integer(parts_.shape, 1, 2);
  if (first == rows() && second == cols()) return;
  fail(ErrorCode::kBadCheckpoint, "the tensor '", layout_.shape, "' holds [", first, ",", second,
       "], but the integers are of a matrix [", rows(), ",", cols(), "]");
}

void PackedWords::require_scales() const {
  const std::size_t size = bytes_of(layout_.scale_type);
  for (std::size_t at = 0; at < parts_.scales.size(); at += size) {
    float scale;
    to_floats(parts_.scales.subspan(at, size), layout_.scale_type, {&scale, 1});
    if (std::isfinite(scale)) continue;
    fail(ErrorCode::kBadCheckpoint, "the tensor '", layout_.scales, "' holds ",
         std::isnan(scale) ? "NaN" : "an infinite number", ", which is not a valid scale");
  }
}

void PackedWords::read_groups() {
  const auto group_of = [this](int input) {
    return layout_.order.empty() ? input / layout_.group_size : read_integer(parts_.order, input, layout_.inputs);
  };
  // All are checked before memory is taken for them.
  for (int input = 0; input < layout_.inputs; ++input) {
    const std::int64_t group = group_of(input);
    if (group >= 0 && group < group_count()) continue;
    fail(ErrorCode::kBadCheckpoint, "the tensor '", layout_.order, "' names the group ", group, " of ", group_count());
  }
  groups_.resize(layout_.inputs);
  for (int input = 0; input < layout_.inputs; ++input) groups_[input] = static_cast<int>(group_of(input));
}

int PackedWords::group_count() const { return ceil_div(layout_.inputs, layout_.group_size); }

bool PackedWords::is_transposed() const { return layout_.kind != PackedKind::kCompressed || layout_.transposed; }

void PackedWords::copy_integers(int output, int first, int count, std::uint8_t* to) const {
  const std::size_t inputs = layout_.inputs, outputs = layout_.outputs;
  if (layout_.kind == PackedKind::kAwq) {
    const std::size_t step = outputs / kIntegers;
    std::size_t word = first * step + output / kIntegers;
    const int place = kInterleaved[output % kIntegers];
    for (int i = 0; i < count; ++i, word += step)
      to[i] = static_cast<std::uint8_t>(nibble(parts_.integers, word, place));
    return;
  }
  const std::size_t step = is_transposed() ? outputs : 1;
  const std::size_t begin = is_transposed() ? output : output * (inputs / kIntegers);
  for (int i = 0; i < count; ++i) {
    const int input = first + i;
    to[i] = static_cast<std::uint8_t>(nibble(parts_.integers, begin + input / kIntegers * step, input % kIntegers));
  }
}

std::size_t PackedWords::scale_place(int output, int group) const {
  return is_transposed() ? std::size_t{1} * group * layout_.outputs + output
                         : std::size_t{1} * output * group_count() + group;
}

PackedWords::Affine PackedWords::affine(int output, int group) const {
  Affine affine = {0.0f, kMiddle};
  const std::size_t size = bytes_of(layout_.scale_type);
  to_floats(parts_.scales.subspan(scale_place(output, group) * size, size), layout_.scale_type, {&affine.scale, 1});
  if (layout_.zeros.empty()) return affine;
  const PackedKind kind = layout_.kind;
  const int place = kind == PackedKind::kAwq ? kInterleaved[output % kIntegers] : output % kIntegers;
  const std::size_t word = kind == PackedKind::kCompressed
                               ? std::size_t{1} * (output / kIntegers) * group_count() + group
                               : std::size_t{1} * group * ceil_div(layout_.outputs, kIntegers) + output / kIntegers;
  const int stored = nibble(parts_.zeros, word, place);
  affine.zero = kind == PackedKind::kGptq ? (stored + 1) & 15 : stored;
  return affine;
}

void PackedWords::copy_row(int row, float* out) const {
  if (layout_.inputs_first) {
    for (int output = 0; output < layout_.outputs; ++output) {
      std::uint8_t integer;
      copy_integers(output, row, 1, &integer);
      const Affine of_group = affine(output, groups_[row]);
      out[output] = static_cast<float>(integer - of_group.zero) * of_group.scale;
    }
    return;
  }
  std::vector<Affine> of_groups(group_count());
  for (int group = 0; group < group_count(); ++group) of_groups[group] = affine(row, group);
  constexpr int kPart = 256;
  std::uint8_t integers[kPart];
  for (int first = 0; first < layout_.inputs; first += kPart) {
    const int count = std::min(kPart, layout_.inputs - first);
    copy_integers(row, first, count, integers);
    for (int i = 0; i < count; ++i) {
      const Affine& of_group = of_groups[groups_[first + i]];
      out[first + i] = static_cast<float>(integers[i] - of_group.zero) * of_group.scale;
    }
  }
}

bool PackedWords::has_nibble_groups() const {
  if (!half_type(layout_.scale_type) || layout_.inputs_first || layout_.inputs % kRunNumbers != 0) return false;
  for (int input = 1; input < layout_.inputs; ++input) {
    if (input % kRunNumbers != 0 && groups_[input] != groups_[input - 1]) return false;
  }
  if (layout_.zeros.empty()) return true;
  for (int output = 0; output < layout_.outputs; ++output) {
    for (int group = 0; group < group_count(); ++group) {
      if (affine(output, group).zero != kMiddle) return false;
    }
  }
  return true;
}

NibbleRun PackedWords::nibble_group(int output, int group) const {
  const int first = group * kRunNumbers;
  NibbleRun run;
  copy_integers(output, first, kRunNumbers, run.integers);
  run.scale = read<std::uint16_t>(parts_.scales, scale_place(output, groups_[first]));
  return run;
}

}  // namespace transformer

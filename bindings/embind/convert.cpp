#include "convert.h"

#include <algorithm>
#include <cmath>

namespace transformer::bindings {

namespace {

bool is_missing(const val& value) { return value.isUndefined() || value.isNull(); }

Shape shape_from_js(const val& value, const char* name) {
  require(!is_missing(value) && !is_missing(value["shape"]) && !is_missing(value["data"]), name, " is missing");
  return emscripten::vecFromJSArray<int>(value["shape"]);
}

// Copies the numbers of a typed array in one go.
template <class T>
void copy_from_js(const val& data, std::size_t count, T* to, const char* name) {
  const auto length = data["length"].as<std::size_t>();
  require(length == count, name, " has ", length, " numbers, but its shape asks for ", count);
  val(emscripten::typed_memory_view(count, to)).call<void>("set", data);
}

Shape without(const Shape& shape, int last) { return Shape(shape.begin(), shape.end() - last); }

}  // namespace

Tensor tensor_from_js(const val& value, const char* name) {
  Tensor tensor(shape_from_js(value, name));
  copy_from_js(value["data"], tensor.size(), tensor.data(), name);
  return tensor;
}

val to_js(const Tensor& tensor) {
  val result = val::object();
  result.set("data", val(emscripten::typed_memory_view(tensor.size(), tensor.data())).call<val>("slice"));
  result.set("shape", val::array(tensor.shape()));
  return result;
}

val to_js(const std::vector<Tensor>& tensors) {
  val array = val::array();
  for (const Tensor& tensor : tensors) array.call<void>("push", to_js(tensor));
  return array;
}

val to_js(const std::vector<int>& ids) {
  return val(emscripten::typed_memory_view(ids.size(), ids.data())).call<val>("slice");
}

std::vector<int> ints_from_js(const val& array) {
  std::vector<int> ints(array["length"].as<std::size_t>());
  copy_from_js(array, ints.size(), ints.data(), "ids");
  return ints;
}

bool Options::has(const char* name) const { return !is_missing(object_) && !is_missing(object_[name]); }

bool Options::flag(const char* name, bool fallback) const { return has(name) ? object_[name].as<bool>() : fallback; }

double Options::number(const char* name, double fallback) const {
  return has(name) ? object_[name].as<double>() : fallback;
}

int Options::integer(const char* name, int fallback) const { return has(name) ? object_[name].as<int>() : fallback; }

std::string Options::text(const char* name, const char* fallback) const {
  return has(name) ? object_[name].as<std::string>() : fallback;
}

Tensor Options::tensor(const char* name) const { return has(name) ? tensor_from_js(object_[name], name) : Tensor(); }

Tensor Options::mask(const char* name) const {
  Tensor mask = tensor(name);
  for (float* value = mask.data(); value != mask.data() + mask.size(); ++value) {
    require(*value == 0.0f || *value == 1.0f, name, " must hold 0 and 1 (1 = may attend), got ", *value,
            "; numbers that are added to the scores go into the bias");
    *value = *value == 1.0f ? 0.0f : kForbidden;
  }
  return mask;
}

Tensor Options::bias(const char* name) const {
  Tensor bias = tensor(name);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    const float value = bias.data()[i];
    require(!std::isnan(value) && value < -kForbidden, name, " holds ", value, " at element ", i,
            "; it may hold numbers and -infinity");
  }
  return bias;
}

ScoreBias broadcast_bias(const Tensor& term, const char* name, const Shape& scores) {
  if (term.empty()) return {};
  const Shape& shape = term.shape();
  std::ptrdiff_t strides[4] = {};
  std::ptrdiff_t stride = 1;
  bool fits = shape.size() <= 4;
  for (std::size_t i = 1; fits && i <= shape.size(); ++i) {
    const int axis = shape[shape.size() - i];
    const int wanted = scores[4 - i];
    fits = axis == 1 || axis == wanted;
    strides[4 - i] = axis == 1 ? 0 : stride;
    stride *= axis;
  }
  require(fits, name, " of shape ", to_string(shape),
          " does not broadcast to [batch, heads, queries, keys] = ", to_string(scores));
  return {term.data(), strides[0], strides[1], strides[2], strides[3]};
}

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* what) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 1; i <= result.size(); ++i) {
    const int from_a = i <= a.size() ? a[a.size() - i] : 1;
    const int from_b = i <= b.size() ? b[b.size() - i] : 1;
    require(from_a == from_b || from_a == 1 || from_b == 1, what, " do not go together: ", to_string(a), " and ",
            to_string(b));
    result[result.size() - i] = from_a == 1 ? from_b : from_a;
  }
  return result;
}

Tensor broadcast_leading(Tensor x, const Shape& leading, int kept, const char* name) {
  Shape full = leading;
  full.insert(full.end(), x.shape().end() - kept, x.shape().end());
  if (x.shape() == full) return x;

  const Shape own = without(x.shape(), kept);
  require(broadcast_shapes(own, leading, "the leading axes") == leading, "the leading axes ", to_string(own), " of ",
          name, " cannot be repeated to ", to_string(leading));
  const std::size_t block = element_count(Shape(full.end() - kept, full.end()));
  Tensor result(full);
  const std::size_t blocks = element_count(leading);
  for (std::size_t i = 0; i < blocks; ++i) {
    // The i-th block's index along each axis, slowest last, is also its index in x, or 0 where x has one of them.
    std::size_t rest = i;
    std::size_t from = 0;
    std::size_t stride = 1;
    for (std::size_t axis = 1; axis <= leading.size(); ++axis) {
      const auto size = static_cast<std::size_t>(leading[leading.size() - axis]);
      const std::size_t index = rest % size;
      rest /= size;
      if (axis > own.size()) continue;
      const auto own_size = static_cast<std::size_t>(own[own.size() - axis]);
      if (own_size > 1) from += index * stride;
      stride *= own_size;
    }
    std::copy_n(x.data() + from * block, block, result.data() + i * block);
  }
  return result;
}

namespace {

// PyTorch gives a mask of its own for each head as [batch * heads, queries, keys].
Tensor split_heads(Tensor mask, const Shape& scores) {
  const Shape& shape = mask.shape();
  const bool merged = shape.size() == 3 && scores[0] > 1 && shape[0] == scores[0] * scores[1];
  if (!merged) return mask;
  const Shape split = {scores[0], scores[1], shape[1], shape[2]};
  return std::move(mask).reshaped(split);
}

ScoreBias padding_bias(const Tensor& padding, const char* name, const Shape& scores) {
  if (padding.empty()) return {};
  const int batch = scores[0];
  const int keys = scores[3];
  const bool fits = padding.shape() == Shape{batch, keys} || (batch == 1 && padding.shape() == Shape{keys});
  require(fits, name, " must have the shape [batch, keys] = ", to_string({batch, keys}), ", got ",
          to_string(padding.shape()));
  return {.data = padding.data(), .batch = keys, .key = 1};
}

}  // namespace

OwnedMask mask_from_js(const Options& options, const MaskNames& names, const Shape& scores) {
  OwnedMask owned = {options.mask(names.padding),
                     split_heads(options.mask(names.mask), scores),
                     split_heads(options.bias(names.bias), scores),
                     {}};
  owned.view.padding = padding_bias(owned.padding, names.padding, scores);
  owned.view.mask = broadcast_bias(owned.mask, names.mask, scores);
  owned.view.bias = broadcast_bias(owned.bias, names.bias, scores);
  return owned;
}

Shape OwnedSequences::shape_with(int width) const {
  return batched ? Shape{view.batch, view.time, width} : Shape{view.time, width};
}

OwnedSequences sequences_from_js(const val& value, const char* name, bool takes_ids, int d_model) {
  const Shape shape = shape_from_js(value, name);
  const std::size_t axes = takes_ids ? 2 : 3;
  const char* wanted = takes_ids ? "token ids [batch, time]" : "embeddings [batch, time, d_model]";
  require(shape.size() == axes || shape.size() == axes - 1, name, " must be ", wanted, ", got the shape ",
          to_string(shape));
  require(takes_ids || shape.back() == d_model, name, " must be ", d_model, " wide, got the shape ", to_string(shape));

  OwnedSequences owned;
  owned.batched = shape.size() == axes;
  owned.view.batch = owned.batched ? shape[0] : 1;
  owned.view.time = owned.batched ? shape[1] : shape[0];
  if (takes_ids) {
    owned.ids.resize(element_count(shape));
    copy_from_js(value["data"], owned.ids.size(), owned.ids.data(), name);
    owned.view.ids = owned.ids;
  } else {
    owned.vectors = tensor_from_js(value, name);
    owned.view.vectors = owned.vectors.matrix();
  }
  return owned;
}

}  // namespace transformer::bindings

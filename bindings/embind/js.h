// Conversions between C++ and JavaScript that Embind lacks: enums as their names, variants as an object with the name
// of the alternative, structs with optional fields, vectors as arrays. Each is registered with its TypeScript type.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/fields.h"
#include "base/names.h"

namespace transformer::bindings {

using emscripten::val;

// Whether an object has no field.
bool is_empty(const val& object);

// A copy of `whole` with the fields that are given; `undefined` counts as missing.
val with_fields(const val& whole, const val& given);

// A struct as a JavaScript object whose fields are optional: missing ones take the defaults of the C++ struct, so that
// defaults exist in one place. T is an Embind value_object. read() must run in a guarded call.
template <class T>
class Partial {
 public:
  Partial() = default;
  explicit Partial(val given) : given_(std::move(given)) {}

  T read() const {
    if (is_empty(given_)) return T{};  // most calls have no options, and each field costs a microsecond
    static const val defaults(T{});
    return with_fields(defaults, given_).template as<T>();
  }

 private:
  val given_ = val::object();
};

template <class T>
concept HasFields = requires { fields_of(static_cast<const T*>(nullptr)); };

// Of a struct whose fields are given all or not at all, among options too.
template <class T>
inline constexpr bool kIsWhole = false;

template <class T>
constexpr bool HasOptionalFields = false;
template <HasFields T>
constexpr bool HasOptionalFields<T> = !kIsWhole<T>;

template <class T>
constexpr bool IsListOfOptions = false;
template <class T>
constexpr bool IsListOfOptions<std::vector<T>> = HasOptionalFields<T>;

// Getter and setter, for value_object's field(), of a field that is another such struct.
template <auto Member>
struct Nested;
template <class Owner, class T, T Owner::* Member>
struct Nested<Member> {
  static Partial<T> get(const Owner& owner) { return Partial<T>(val(owner.*Member)); }
  static void set(Owner& owner, const Partial<T>& given) { owner.*Member = given.read(); }
};

// The same for a vector of such structs.
template <auto Member>
struct NestedList;
template <class Owner, class T, std::vector<T> Owner::* Member>
struct NestedList<Member> {
  static std::vector<Partial<T>> get(const Owner& owner) {
    std::vector<Partial<T>> list;
    for (const T& one : owner.*Member) list.emplace_back(val(one));
    return list;
  }
  static void set(Owner& owner, const std::vector<Partial<T>>& given) {
    (owner.*Member).clear();
    for (const Partial<T>& one : given) (owner.*Member).push_back(one.read());
  }
};

}  // namespace transformer::bindings

namespace emscripten::internal {

template <class T>
struct BindingType<transformer::bindings::Partial<T>> {
  using WireType = EM_VAL;
  static WireType toWireType(const transformer::bindings::Partial<T>& partial, rvp::default_tag) {
    return BindingType<val>::toWireType(val(partial.read()), rvp::default_tag{});
  }
  static transformer::bindings::Partial<T> fromWireType(WireType wire) {
    return transformer::bindings::Partial<T>(val::take_ownership(wire));
  }
};

// An enum as one of its names.
template <class Enum>
struct NamedEnumBinding {
  using WireType = EM_VAL;
  static WireType toWireType(Enum value, rvp::default_tag) {
    for (const auto& known : enum_names(Enum{})) {
      if (known.value == value) return BindingType<val>::toWireType(val(known.name), rvp::default_tag{});
    }
    return BindingType<val>::toWireType(val::undefined(), rvp::default_tag{});
  }
  static Enum fromWireType(WireType wire) {
    const auto name = val::take_ownership(wire).as<std::string>();
    for (const auto& known : enum_names(Enum{})) {
      if (name == known.name) return known.value;
    }
    transformer::fail(transformer::ErrorCode::kUnsupported, "'", name, "' is not supported");
  }
};

// A vector as an array.
template <class T>
struct BindingType<std::vector<T>> {
  using WireType = EM_VAL;
  static WireType toWireType(const std::vector<T>& list, rvp::default_tag) {
    return BindingType<val>::toWireType(val::array(list), rvp::default_tag{});
  }
  static std::vector<T> fromWireType(WireType wire) { return vecFromJSArray<T>(val::take_ownership(wire)); }
};

// A variant as an object with one field, named after the alternative: { rotary: { maxLength: 512 } }.
template <class... Alternatives>
struct BindingType<std::variant<Alternatives...>> {
  using WireType = EM_VAL;
  using Variant = std::variant<Alternatives...>;
  static WireType toWireType(const Variant& value, rvp::default_tag) {
    val object = val::object();
    std::visit([&](const auto& one) { object.set(one.kName, val(one)); }, value);
    return BindingType<val>::toWireType(std::move(object), rvp::default_tag{});
  }
  static Variant fromWireType(WireType wire) {
    const val object = val::take_ownership(wire);
    Variant value;
    (read<Alternatives>(object, value), ...);
    return value;
  }

 private:
  template <class T>
  static void read(const val& object, Variant& value) {
    const val given = object[T::kName];
    if (!given.isUndefined()) value = transformer::bindings::Partial<T>(given).read();
  }
};

}  // namespace emscripten::internal

namespace transformer::bindings {

// Adds a field of a struct, `field` of its table, to its JavaScript object. Among options a field that is a struct with
// a table of its own, or a list of such, has optional fields too.
template <bool kOptional, std::size_t kIndex, class T>
void add_field(emscripten::value_object<T>& object) {
  constexpr auto field = std::get<kIndex>(fields_of(static_cast<const T*>(nullptr)));
  using Value = std::remove_cvref_t<decltype(std::declval<T>().*(field.member))>;
  if constexpr (kOptional && HasOptionalFields<Value>) {
    object.field(field.name, &Nested<field.member>::get, &Nested<field.member>::set);
  } else if constexpr (kOptional && IsListOfOptions<Value>) {
    object.field(field.name, &NestedList<field.member>::get, &NestedList<field.member>::set);
  } else {
    object.field(field.name, field.member);
  }
}

template <bool kOptional, class T, class More>
void register_fields(const char* name, const More& more) {
  emscripten::value_object<T> object(name);
  constexpr auto count = std::tuple_size_v<decltype(fields_of(static_cast<const T*>(nullptr)))>;
  [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
    (add_field<kOptional, kIndices>(object), ...);
  }(std::make_index_sequence<count>());
  more(object);
}

inline constexpr auto kNothingMore = [](auto&) {};

// Registers a struct that has fields_of(), all of whose fields are there. more: adds fields that are none of its
// members.
template <class T, class More = decltype(kNothingMore)>
void register_struct(const char* name, const More& more = {}) {
  register_fields<false, T>(name, more);
}

// The same for a struct whose fields are optional; TypeScript sees Partial<name>.
template <class T, class More = decltype(kNothingMore)>
void register_options(const char* name, const More& more = {}) {
  static const std::string type = std::string("Partial<") + name + ">";
  emscripten::register_type<Partial<T>>(type.c_str());
  register_fields<true, T>(name, more);
}

// Registers an enum that has enum_names(); TypeScript sees a union of string literals.
template <class Enum>
void register_enum() {
  static const std::string type = [] {
    std::string names;
    for (const auto& known : enum_names(Enum{})) names += concat(names.empty() ? "" : " | ", "'", known.name, "'");
    return names;
  }();
  emscripten::register_type<Enum>(type.c_str());
}

}  // namespace transformer::bindings

// Makes an enum cross as one of its names.
#define TRANSFORMER_NAMED_ENUM(Enum) \
  template <>                        \
  struct emscripten::internal::BindingType<Enum> : emscripten::internal::NamedEnumBinding<Enum> {}

// The public names of enum values: every value has one, and they are distinct.
#include "base/names.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>

#include "attention/luong.h"
#include "generation/options.h"
#include "transformer/config.h"
#include "weights/loader.h"

namespace transformer {
namespace {

// The compiler prints a value without an enumerator as a cast: "(transformer::NormKind)7".
template <auto value>
constexpr bool is_enumerator() {
  return std::string_view(__PRETTY_FUNCTION__).find("value = (") == std::string_view::npos;
}

// The number of enumerators with values from 0 to 31, found without enum_names().
template <class Enum>
constexpr std::size_t count_enumerators() {
  return []<int... i>(std::integer_sequence<int, i...>) {
    return (std::size_t{0} + ... + (is_enumerator<static_cast<Enum>(i)>() ? 1 : 0));
  }(std::make_integer_sequence<int, 32>());
}

enum class Counted { kA, kB, kD = 3 };
static_assert(count_enumerators<Counted>() == 3);

template <class Enum>
class EnumNamesTest : public ::testing::Test {};

using NamedEnums = ::testing::Types<Activation, EarlyStopping, LuongScore, NormKind, NormPlace, RotaryLayout,
                                    SinusoidLayout, StoredType>;
TYPED_TEST_SUITE(EnumNamesTest, NamedEnums);

TYPED_TEST(EnumNamesTest, NameEveryValueOnce) {
  constexpr auto names = enum_names(TypeParam());
  std::set<std::string_view> seen_names;
  std::set<TypeParam> seen_values;
  for (const auto& [name, value] : names) {
    EXPECT_TRUE(seen_names.insert(name).second) << name;
    EXPECT_TRUE(seen_values.insert(value).second) << name;
  }
  EXPECT_EQ(names.size(), count_enumerators<TypeParam>());
}

TEST(SchemeNamesTest, SchemesHaveDistinctNames) {
  std::set<std::string_view> names;
  [&names]<std::size_t... i>(std::index_sequence<i...>) {
    (names.insert(std::variant_alternative_t<i, Positions>::kName), ...);
  }(std::make_index_sequence<std::variant_size_v<Positions>>());
  EXPECT_EQ(names.size(), std::variant_size_v<Positions>);
}

}  // namespace
}  // namespace transformer

#include "js.h"

#include <emscripten/em_js.h>

EM_JS_DEPS(transformer_fields, "$Emval");
EM_JS(bool, transformer_is_empty, (emscripten::EM_VAL object), {
  for (const name in Emval.toValue(object)) return false;
  return true;
});
// In JavaScript, since to look at each field from C++ takes ten times as long.
EM_JS(emscripten::EM_VAL, transformer_with_fields, (emscripten::EM_VAL whole, emscripten::EM_VAL given), {
  const fields = Emval.toValue(given);
  const copy = {... Emval.toValue(whole)};
  for (const name in copy) {
    if (fields[name] != = undefined) copy[name] = fields[name];
  }
  return Emval.toHandle(copy);
});

namespace transformer::bindings {

bool is_empty(const val& object) { return transformer_is_empty(object.as_handle()); }

val with_fields(const val& whole, const val& given) {
  return val::take_ownership(transformer_with_fields(whole.as_handle(), given.as_handle()));
}

}  // namespace transformer::bindings

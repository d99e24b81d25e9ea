#include "profile.h"

#include "kernels/machine_limits.h"

namespace transformer::bindings {

val to_js(const Profile& profile) {
  val parts = val::array();
  for (const Profile::Part& part : profile.parts()) {
    val js = val::object();
    js.set("path", part.path);
    js.set("flops", part.work.flops);
    js.set("weightBytes", part.work.weight_bytes);
    js.set("stateBytes", part.work.state_bytes);
    js.set("milliseconds", part.seconds * 1e3);
    parts.call<void>("push", js);
  }
  return parts;
}

val machine_limits(Context& context, double bytes) {
  val limits = val::object();
  limits.set("flopsPerSecond", measure_multiply_adds(context.threads));
  limits.set("bytesPerSecond", measure_reading(static_cast<std::size_t>(bytes), context.threads));
  return limits;
}

val profile_of(Generation& generation) {
  const val parts = to_js(generation.profile);
  generation.profile.clear();
  return parts;
}

}  // namespace transformer::bindings

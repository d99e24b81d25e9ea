// Profiles and the machine's limits, as JavaScript sees them.
#pragma once

#include "base/profile.h"
#include "context.h"
#include "generation.h"

namespace transformer::bindings {

// [{ path, flops, weightBytes, stateBytes, milliseconds }]
val to_js(const Profile& profile);

// { flopsPerSecond, bytesPerSecond } of all threads together, the latter from a buffer of so many bytes
val machine_limits(Context& context, double bytes);

// What a generation has recorded since this was last asked, where it was made with { profile: true }.
val profile_of(Generation& generation);

}  // namespace transformer::bindings

# xsimd 12 or newer as the target `xsimd`: from the system or the toolchain's folder, else fetched.
# Its package declares different major versions incompatible, so each is searched for by its number.
foreach(major 14 13 12)
  if(NOT TARGET xsimd)
    find_package(xsimd ${major} CONFIG QUIET)
  endif()
endforeach()

if(NOT TARGET xsimd)
  include(FetchContent)
  FetchContent_Declare(
    xsimd
    GIT_REPOSITORY https://github.com/xtensor-stack/xsimd.git
    GIT_TAG 13.2.0
    GIT_SHALLOW ON)
  FetchContent_MakeAvailable(xsimd)
  # System headers, so that their warnings are suppressed.
  get_target_property(xsimd_headers xsimd INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(xsimd PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${xsimd_headers}")
endif()

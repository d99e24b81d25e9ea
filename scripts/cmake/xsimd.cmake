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
    URL https://github.com/xtensor-stack/xsimd/archive/refs/tags/13.2.0.tar.gz
    URL_HASH SHA256=edd8cd3d548c185adc70321c53c36df41abe64c1fe2c67bc6d93c3ecda82447a
    DOWNLOAD_EXTRACT_TIMESTAMP ON)
  FetchContent_MakeAvailable(xsimd)
  # System headers, so that their warnings are suppressed.
  get_target_property(xsimd_headers xsimd INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(xsimd PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${xsimd_headers}")
endif()

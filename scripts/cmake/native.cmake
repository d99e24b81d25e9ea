# The native engine, for tests and sanitizers: the library `transformer` and the executable `native_tests`.
include(CheckCXXSourceRuns)

set(TRANSFORMER_SANITIZER "" CACHE STRING "The value of -fsanitize=, or empty")

find_package(Threads REQUIRED)
target_link_libraries(project_options INTERFACE Threads::Threads)
target_compile_definitions(project_options INTERFACE TRANSFORMER_THREADS=1)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  check_cxx_source_runs(
    "int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }" CPU_HAS_AVX2_AND_FMA)
  if(CPU_HAS_AVX2_AND_FMA)
    target_compile_options(project_options INTERFACE -march=x86-64-v3)
  endif()
endif()

# The fuzzers of tests/fuzz/native are built with the sanitizer that finds what they provoke, so that both share a build.
set(TRANSFORMER_FUZZERS OFF)
if(TRANSFORMER_SANITIZER MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TRANSFORMER_FUZZERS ON)
  # Coverage for the fuzzers; and conversions and sums that change an integer, in our code.
  target_compile_options(
    project_options
    INTERFACE -fsanitize=fuzzer-no-link,implicit-conversion,unsigned-integer-overflow
              -fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/scripts/cmake/unchecked_integers.txt)
endif()

if(TRANSFORMER_SANITIZER)
  set(sanitize -fsanitize=${TRANSFORMER_SANITIZER} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(project_options INTERFACE ${sanitize})
  target_link_options(project_options INTERFACE ${sanitize})
endif()

add_library(transformer STATIC ${TRANSFORMER_SOURCES})
target_link_libraries(transformer PUBLIC project_options)
# The engine only: in tests and bindings, the casts that this warning demands would obscure the code.
target_compile_options(transformer PRIVATE -Wconversion -Wno-sign-conversion)
# Parsing the same headers was most of the time of these builds. The engine's plain build goes without, so it finds missing includes.
if(TRANSFORMER_SANITIZER)
  # Six files at a time: a third of the work of the compiler (272 -> 92 s). Kernels name many constants alike.
  set_target_properties(transformer PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  file(GLOB KERNELS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/*.cpp)
  set_source_files_properties(${KERNELS} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_precompile_headers(
    transformer PRIVATE <algorithm> <cmath> <cstdint> <functional> <memory> <optional> <span> <string> <vector>
    <xsimd/xsimd.hpp>)
endif()

if(TRANSFORMER_FUZZERS)
  file(GLOB FUZZERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/native/*.cpp)
  foreach(source ${FUZZERS})
    cmake_path(GET source STEM name)
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE transformer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()

enable_testing()
find_package(GTest REQUIRED)
# For the tests only.
find_package(nlohmann_json REQUIRED)

file(GLOB_RECURSE NATIVE_TESTS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/native/*.cpp)
set(test_filter "*")
if(TRANSFORMER_SANITIZER MATCHES "thread")
  # ThreadSanitizer is slow: it runs only the tests of code that uses threads, from the pool to whole generations, and builds only
  # files that have some.
  set(threaded ThreadPool SameBits Generator SharesRows ScaledDotProduct OnThreeThreads)
  list(TRANSFORM threaded REPLACE "(.+)" "*\\1*" OUTPUT_VARIABLE test_filter)
  list(JOIN test_filter ":" test_filter)
  list(JOIN threaded "|" threaded)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${NATIVE_TESTS})
  foreach(source ${NATIVE_TESTS})
    file(STRINGS ${source} found REGEX "${threaded}" LIMIT_COUNT 1)
    if(NOT found)
      list(REMOVE_ITEM NATIVE_TESTS ${source})
    endif()
  endforeach()
  # Replaces operator new, as ThreadSanitizer's own library does.
  list(FILTER NATIVE_TESTS EXCLUDE REGEX "allocation_failures_test")
endif()
add_executable(native_tests ${NATIVE_TESTS})
target_link_libraries(native_tests PRIVATE transformer GTest::gmock GTest::gtest_main nlohmann_json::nlohmann_json)
target_precompile_headers(native_tests PRIVATE <gmock/gmock.h> <cmath> <functional> <optional> <span> <thread>)
# For tests/native/support.
target_include_directories(native_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests/native)
target_compile_definitions(native_tests PRIVATE TESTS_FIXTURES_DIR="${CMAKE_SOURCE_DIR}/tests/fixtures")
# What is tested is compiled in full; of the tests' own code -O1 makes, without a sanitizer, 35 % less work for the compiler
# (17.1 -> 11.0 s for torch_reference_test.cpp). With AddressSanitizer -O0 makes 36 % less than -O1 (41.5 -> 26.5 s).
target_compile_options(native_tests PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)
# In eight processes, which share the tests: a process for each test spends most of its time on starting.
set(shards 8)
math(EXPR last "${shards} - 1")
foreach(shard RANGE ${last})
  add_test(NAME native_tests_${shard} COMMAND native_tests --gtest_brief=1 --gtest_filter=${test_filter})
  set_tests_properties(
    native_tests_${shard} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
endforeach()

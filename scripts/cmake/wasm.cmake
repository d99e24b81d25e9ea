# The engine for JavaScript: four variants of one module from the same sources, {one thread, threads} x {SIMD128, relaxed
# SIMD}. Each is an ES module `<name>.mjs` beside its `<name>.wasm`; JavaScript picks one at run time.
file(GLOB_RECURSE BINDINGS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/*.cpp)
find_program(NODE node REQUIRED)

# Only kernels know the vector unit (scripts/check_layers.mjs sees to it), so the rest is compiled once for both kinds.
set(KERNELS ${TRANSFORMER_SOURCES})
list(FILTER KERNELS INCLUDE REGEX /src/kernels/)
# Rooms that compose the others have no loops over numbers of their own.
set(COMPOSITION ${TRANSFORMER_SOURCES})
list(FILTER COMPOSITION INCLUDE REGEX "/src/(layers|transformer|generation)/")
set(REST ${TRANSFORMER_SOURCES})
list(REMOVE_ITEM REST ${KERNELS} ${COMPOSITION})

set(compile_options
    -fwasm-exceptions
    # Every engine with SIMD128 has these two. Without the second, a float becomes an int by way of a branch.
    -mbulk-memory
    -mnontrapping-fptoint
    -msimd128)

set(link_options
    -fwasm-exceptions
    -lembind
    --no-entry
    # An ES module with a factory; it finds its wasm beside itself, by a literal URL that bundlers understand.
    -sMODULARIZE
    -sEXPORT_ES6
    -sEXPORT_NAME=createTransformerModule
    -sENVIRONMENT=web,worker,node
    "-sINCOMING_MODULE_JS_API=[locateFile,wasmBinary,instantiateWasm,print,printErr,onAbort]"
    # No eval, for pages with a strict content security policy; and no handlers on the process of whoever imports it.
    -sDYNAMIC_EXECUTION=0
    -sNODEJS_CATCH_EXIT=0
    -sNODEJS_CATCH_REJECTION=0
    -sFILESYSTEM=0
    -sWASM_BIGINT
    # All that wasm32 can address. Where it ends, malloc returns null and C++ throws: the module lives on.
    -sALLOW_MEMORY_GROWTH
    # By a twentieth at a time and not by a fifth: 296 MB of weights peak at 1.04 times themselves in place of 1.22.
    -sMEMORY_GROWTH_GEOMETRIC_STEP=0.05
    -sINITIAL_MEMORY=16MB
    -sMAXIMUM_MEMORY=4GB
    -sABORTING_MALLOC=0
    -sSTACK_SIZE=1MB)

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Checked containers, by the name that this libc++ has for them; and every load, store and stack pointer checked.
  if(EMSCRIPTEN_VERSION VERSION_LESS 4)
    list(APPEND compile_options -D_LIBCPP_ENABLE_ASSERTIONS=1)
  else()
    list(APPEND compile_options -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE)
  endif()
  list(APPEND link_options -sASSERTIONS=2 -sSAFE_HEAP=1 -sSTACK_OVERFLOW_CHECK=2)
else()
  list(APPEND compile_options -flto)
  list(APPEND link_options -flto -sASSERTIONS=0)
endif()

set(thread_compile_options -pthread -DTRANSFORMER_THREADS=1)
set(thread_link_options
    -pthread
    # The caller says how many: workers can only be started before the engine blocks its thread.
    -sPTHREAD_POOL_SIZE=Module.pthreadPoolSize
    -sDEFAULT_PTHREAD_STACK_SIZE=1MB
    # Warns that JavaScript reads a growing shared memory more slowly; ours only copies in and out.
    -Wno-pthreads-mem-growth)

function(add_wasm_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE project_options)
  target_compile_options(${name} PRIVATE ${compile_options})
  if(name MATCHES threads)
    target_compile_options(${name} PRIVATE ${thread_compile_options})
  endif()
  if(name MATCHES relaxed)
    target_compile_options(${name} PRIVATE -mrelaxed-simd -DTRANSFORMER_RELAXED_SIMD=1)
  endif()
endfunction()

foreach(threads "" -threads)
  add_wasm_objects(rest${threads} ${REST})
  add_wasm_objects(composition${threads} ${COMPOSITION})
  add_wasm_objects(embind${threads} ${BINDINGS})
  # Where no time is spent, size counts: 30 kB less to download, all of it compressed.
  target_compile_options(composition${threads} PRIVATE $<$<CONFIG:Release>:-Os>)
  target_compile_options(embind${threads} PRIVATE $<$<CONFIG:Release>:-Oz>)
  # Half of their compile time is parsing these. The native build does without, and so finds a file that forgets an
  # include.
  foreach(objects rest composition embind)
    target_precompile_headers(${objects}${threads} PRIVATE <algorithm> <cmath> <cstdint> <memory> <string> <vector>)
  endforeach()
endforeach()

# <simd> is simd or relaxed, <threads> is empty or -threads.
function(add_wasm_variant simd threads)
  set(name transformer-${simd}${threads})
  add_wasm_objects(kernels-${simd}${threads} ${KERNELS})
  add_executable(
    ${name} $<TARGET_OBJECTS:rest${threads}> $<TARGET_OBJECTS:composition${threads}>
            $<TARGET_OBJECTS:embind${threads}> $<TARGET_OBJECTS:kernels-${simd}${threads}>)
  set_target_properties(${name} PROPERTIES SUFFIX .mjs LINKER_LANGUAGE CXX)
  target_link_options(${name} PRIVATE ${link_options})
  if(threads)
    target_link_options(${name} PRIVATE ${thread_link_options} "-sEXPORTED_RUNTIME_METHODS=[wasmMemory,PThread]")
  else()
    target_link_options(${name} PRIVATE "-sEXPORTED_RUNTIME_METHODS=[wasmMemory]")
  endif()
  add_custom_command(
    TARGET ${name}
    POST_BUILD
    COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/scripts/adapt_glue.mjs $<TARGET_FILE:${name}>
    VERBATIM)
  set_property(TARGET ${name} PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/adapt_glue.mjs)
endfunction()

foreach(simd simd relaxed)
  add_wasm_variant(${simd} "")
  add_wasm_variant(${simd} -threads)
endforeach()

# What TypeScript sees of the border: linked once more, since Embind describes itself by running.
add_executable(
  transformer-types EXCLUDE_FROM_ALL
  $<TARGET_OBJECTS:rest> $<TARGET_OBJECTS:composition> $<TARGET_OBJECTS:embind> $<TARGET_OBJECTS:kernels-simd>)
set_target_properties(
  transformer-types
  PROPERTIES SUFFIX .mjs
             LINKER_LANGUAGE CXX
             # emcc asks tsc only about runtime methods, of which this module has none, in words that TypeScript 7 refuses.
             RULE_LAUNCH_LINK
             "${CMAKE_COMMAND} -E env \"PATH=${CMAKE_SOURCE_DIR}/scripts/cmake/no_tsc:$ENV{PATH}\"")
target_link_options(
  transformer-types PRIVATE ${link_options} -O0 "-sEXPORTED_RUNTIME_METHODS=[]" --emit-tsd transformer.d.ts)

# The engine for JavaScript: four variants of one module from the same sources, {one thread, threads} x {SIMD128, relaxed
# SIMD}, and two small modules of one variant: for sound and pictures, and for training. Each is an ES module `<name>.mjs` with its `<name>.wasm`; JavaScript picks one at run time.
file(GLOB BINDINGS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/embind/*.cpp)
find_program(NODE node REQUIRED)
set(UNUSED_TYPES ${CMAKE_SOURCE_DIR}/bindings/embind/unused_types.js)

# Only kernels use vector instructions (scripts/check_layers.mjs checks this), so the rest is compiled once for both.
set(KERNELS ${TRANSFORMER_SOURCES})
list(FILTER KERNELS INCLUDE REGEX /src/kernels/)
# Their time goes to the kernels that they call. Norms, softmax and attention would take up to 1.3 times as long.
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/kernels/top_k.cpp ${CMAKE_SOURCE_DIR}/src/kernels/online_softmax.cpp
  PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
# Sound and pictures are a module of their own, which only their tasks load.
set(SIGNAL ${TRANSFORMER_SOURCES})
list(FILTER SIGNAL INCLUDE REGEX "/src/signal/")
# So is training.
set(TRAINING ${TRANSFORMER_SOURCES})
list(FILTER TRAINING INCLUDE REGEX "/src/training/")
# Rooms whose time goes to the kernels that they call; of attention, all but the products and the cache; of matrices, what
# knows no format's numbers; of weights and the base, all but what reads whole files.
set(COMPOSITION ${TRANSFORMER_SOURCES})
list(FILTER COMPOSITION INCLUDE REGEX
     "/src/((layers|positions|transformer|recurrent|generation|attention|weights|base)/|matrices/(format|matmul)\\.cpp)")
list(FILTER COMPOSITION EXCLUDE REGEX "/(scaled_dot_product|kv_cache|loader|stored_type|magnitude)\\.cpp$")
set(REST ${TRANSFORMER_SOURCES})
list(REMOVE_ITEM REST ${KERNELS} ${COMPOSITION} ${SIGNAL} ${TRAINING})

set(compile_options
    -fwasm-exceptions
    # Supported by every engine with SIMD128. Without the second, each conversion of a float to an int has a branch.
    -mbulk-memory
    -mnontrapping-fptoint
    -msimd128
    # The names of types, which nothing asks for; Embind then compares addresses.
    -fno-rtti
    -DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)

set(link_options
    -fwasm-exceptions
    -fno-rtti
    -lembind
    --no-entry
    --js-library ${UNUSED_TYPES}
    # An ES module with a factory function. It finds its wasm by a literal URL, which bundlers understand.
    -sMODULARIZE
    -sEXPORT_ES6
    -sEXPORT_NAME=createTransformerModule
    -sENVIRONMENT=web,worker,node
    "-sINCOMING_MODULE_JS_API=[locateFile,wasmBinary,instantiateWasm,print,printErr,onAbort]"
    # No eval, for pages with a strict content security policy; no handlers on the importing Node process.
    -sDYNAMIC_EXECUTION=0
    -sNODEJS_CATCH_EXIT=0
    -sNODEJS_CATCH_REJECTION=0
    -sFILESYSTEM=0
    -sWASM_BIGINT
    # The whole address space of wasm32. Beyond it malloc returns null and C++ throws, so that the module stays usable.
    -sALLOW_MEMORY_GROWTH
    # Steps of 5% instead of 20%: with 296 MB of weights, memory peaks at 1.03 times their size (1.04 with two threads)
    # instead of 1.22.
    -sMEMORY_GROWTH_GEOMETRIC_STEP=0.05
    -sINITIAL_MEMORY=16MB
    -sMAXIMUM_MEMORY=4GB
    -sABORTING_MALLOC=0
    # It compares sizes. emmalloc, 3.3 kB smaller, compares ends of blocks, which wrap at 4 GB: there it gives away memory
    # that is not there. So does mimalloc, which takes its memory from emmalloc.
    -sMALLOC=dlmalloc
    -sSTACK_SIZE=1MB)

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Checks of containers (their option depends on the version of libc++), of every load and store, and of the stack.
  if(EMSCRIPTEN_VERSION VERSION_LESS 4)
    list(APPEND compile_options -D_LIBCPP_ENABLE_ASSERTIONS=1)
  else()
    list(APPEND compile_options -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE)
  endif()
  list(APPEND link_options -sASSERTIONS=2 -sSAFE_HEAP=1 -sSTACK_OVERFLOW_CHECK=2)
elseif(TRANSFORMER_QUICK)
  # Links in seconds: nothing is optimised across files, and the result is larger and slower.
  list(APPEND link_options -O1 -sASSERTIONS=0)
else()
  list(APPEND compile_options -flto)
  # -Oz takes the small versions of the C library's functions; 8 kB of the compressed download. The time of small and
  # base encoders is the same within 1.5 %, since the kernels were optimised for speed before they are linked. Binaryen's
  # passes run twice: what the first round leaves saves another 0.7 kB.
  list(APPEND link_options -flto -Oz -Wl,--lto-O2 -Wl,-mllvm,-inline-threshold=0 -sASSERTIONS=0
       -sBINARYEN_EXTRA_PASSES=-Oz)
endif()

set(thread_compile_options -pthread -DTRANSFORMER_THREADS=1)
set(thread_link_options
    -pthread
    # The caller sets the number: workers can only start before the engine blocks its thread.
    -sPTHREAD_POOL_SIZE=Module.pthreadPoolSize
    -sDEFAULT_PTHREAD_STACK_SIZE=1MB
    # The warning says that JavaScript accesses growing shared memory slowly; ours only copies in and out.
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
  # Optimised for size where no time is spent: saves 30 kB and more of the compressed download.
  target_compile_options(composition${threads} PRIVATE $<$<CONFIG:Release>:-Oz>)
  target_compile_options(embind${threads} PRIVATE $<$<CONFIG:Release>:-Oz>)
  # Parsing these took half of the compile time. The native build goes without, so it finds missing includes.
  # Several files at a time where nothing is edited and tried: three quarters less work for the compiler.
  if(NOT TRANSFORMER_QUICK AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_target_properties(composition${threads} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    set_target_properties(embind${threads} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
  endif()
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
  adapt_glue(${name})
endfunction()

function(adapt_glue name)
  add_custom_command(
    TARGET ${name}
    POST_BUILD
    COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/scripts/build/adapt_glue.mjs $<TARGET_FILE:${name}>
    VERBATIM)
  set_property(TARGET ${name} PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/build/adapt_glue.mjs ${UNUSED_TYPES})
endfunction()

foreach(simd simd relaxed)
  add_wasm_variant(${simd} "")
  add_wasm_variant(${simd} -threads)
endforeach()

file(GLOB SIGNAL_BINDINGS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/embind/signal/*.cpp)
add_wasm_objects(
  signal
  ${SIGNAL}
  ${SIGNAL_BINDINGS}
  ${CMAKE_SOURCE_DIR}/bindings/embind/guarded.cpp
  ${CMAKE_SOURCE_DIR}/bindings/embind/heap.cpp
  ${CMAKE_SOURCE_DIR}/bindings/embind/js.cpp
  ${CMAKE_SOURCE_DIR}/bindings/embind/tensors.cpp
  ${CMAKE_SOURCE_DIR}/src/base/error.cpp
  ${CMAKE_SOURCE_DIR}/src/base/resized_grid.cpp
  ${CMAKE_SOURCE_DIR}/src/base/tensor.cpp)
target_include_directories(signal PRIVATE ${CMAKE_SOURCE_DIR}/bindings/embind)
add_executable(transformer-signal $<TARGET_OBJECTS:signal>)
set_target_properties(transformer-signal PROPERTIES SUFFIX .mjs LINKER_LANGUAGE CXX)
target_link_options(transformer-signal PRIVATE ${link_options} "-sEXPORTED_RUNTIME_METHODS=[]")
adapt_glue(transformer-signal)

# With what it shares with the engine, of which the linker takes the little that is used.
file(GLOB TRAINING_BINDINGS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/embind/training/*.cpp)
add_wasm_objects(training ${TRAINING})
set(SHARED_BINDINGS ${BINDINGS})
list(FILTER SHARED_BINDINGS INCLUDE REGEX "/(c_library|configs|context|guarded|heap|js|tensors)\\.cpp$")
add_wasm_objects(training-embind ${TRAINING_BINDINGS} ${SHARED_BINDINGS})
target_include_directories(training-embind PRIVATE ${CMAKE_SOURCE_DIR}/bindings/embind)
target_compile_options(training-embind PRIVATE $<$<CONFIG:Release>:-Oz>)
set(TRAINING_OBJECTS $<TARGET_OBJECTS:training> $<TARGET_OBJECTS:training-embind> $<TARGET_OBJECTS:rest>
                     $<TARGET_OBJECTS:composition> $<TARGET_OBJECTS:kernels-simd>)
add_executable(transformer-train ${TRAINING_OBJECTS})
set_target_properties(transformer-train PROPERTIES SUFFIX .mjs LINKER_LANGUAGE CXX)
target_link_options(transformer-train PRIVATE ${link_options} "-sEXPORTED_RUNTIME_METHODS=[]")
adapt_glue(transformer-train)

# The TypeScript declarations of the bindings: extra links, since Embind emits them by running the modules.
function(add_types name declarations)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(
    ${name}
    PROPERTIES SUFFIX .mjs
               LINKER_LANGUAGE CXX
               # emcc runs tsc for runtime methods, of which these modules have none, with options that TypeScript 7 rejects.
               RULE_LAUNCH_LINK
               "${CMAKE_COMMAND} -E env \"PATH=${CMAKE_SOURCE_DIR}/scripts/cmake/no_tsc:$ENV{PATH}\"")
  target_link_options(
    ${name} PRIVATE ${link_options} -O0 "-sEXPORTED_RUNTIME_METHODS=[]" --emit-tsd ${declarations})
endfunction()

add_types(
  transformer-types transformer.d.ts $<TARGET_OBJECTS:rest> $<TARGET_OBJECTS:composition> $<TARGET_OBJECTS:embind>
  $<TARGET_OBJECTS:kernels-simd>)
add_types(transformer-signal-types signal.d.ts $<TARGET_OBJECTS:signal>)
add_types(transformer-train-types train.d.ts ${TRAINING_OBJECTS})

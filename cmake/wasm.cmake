# The engine for JavaScript: four variants of one module from the same sources, {one thread, threads} x {SIMD128, relaxed
# SIMD}. Each is an ES module `<name>.mjs` beside its `<name>.wasm`; JavaScript picks one at run time.
file(GLOB_RECURSE BINDINGS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/*.cpp)

find_program(NODE node REQUIRED)

set(compile_options
    -fwasm-exceptions
    # Every engine with SIMD128 has these two. Without the second, a float becomes an int by way of a branch.
    -mbulk-memory
    -mnontrapping-fptoint
    -msimd128
    -flto)

set(link_options
    -fwasm-exceptions
    -flto
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
    -sASSERTIONS=0
    # All that wasm32 can address. Where it ends, malloc returns null and C++ throws: the module lives on.
    -sALLOW_MEMORY_GROWTH
    -sINITIAL_MEMORY=16MB
    -sMAXIMUM_MEMORY=4GB
    -sABORTING_MALLOC=0
    -sSTACK_SIZE=1MB)

function(add_wasm_variant name)
  cmake_parse_arguments(PARSE_ARGV 1 variant "RELAXED;THREADS" "" "")
  add_executable(${name} ${TRANSFORMER_SOURCES} ${BINDINGS})
  set_target_properties(${name} PROPERTIES SUFFIX .mjs)
  target_link_libraries(${name} PRIVATE project_options)
  target_compile_options(${name} PRIVATE ${compile_options})
  target_link_options(${name} PRIVATE ${link_options})
  set(exported wasmMemory)
  if(variant_RELAXED)
    target_compile_options(${name} PRIVATE -mrelaxed-simd)
    target_compile_definitions(${name} PRIVATE TRANSFORMER_RELAXED_SIMD=1)
  endif()
  if(variant_THREADS)
    target_compile_options(${name} PRIVATE -pthread)
    target_compile_definitions(${name} PRIVATE TRANSFORMER_THREADS=1)
    target_link_options(
      ${name}
      PRIVATE
      -pthread
      # The caller says how many: workers can only be started before the engine blocks its thread.
      -sPTHREAD_POOL_SIZE=Module.pthreadPoolSize
      -sDEFAULT_PTHREAD_STACK_SIZE=1MB
      # Warns that JavaScript reads a growing shared memory more slowly; ours only copies in and out.
      -Wno-pthreads-mem-growth)
    list(APPEND exported PThread)
  endif()
  list(JOIN exported "," exported)
  target_link_options(${name} PRIVATE "-sEXPORTED_RUNTIME_METHODS=[${exported}]")
  add_custom_command(
    TARGET ${name}
    POST_BUILD
    COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/scripts/adapt_glue.mjs $<TARGET_FILE:${name}>
    VERBATIM)
  set_property(TARGET ${name} PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/adapt_glue.mjs)
endfunction()

add_wasm_variant(transformer-simd)
add_wasm_variant(transformer-relaxed RELAXED)
add_wasm_variant(transformer-simd-threads THREADS)
add_wasm_variant(transformer-relaxed-threads RELAXED THREADS)

// A library for Emscripten's linker. Embind registers strings of wide characters in every module; no function of the engine
// takes or returns them, and their conversions were 0.5 kB of the compressed download.

/* global addToLibrary */
addToLibrary({
  _embind_register_std_wstring: (_type, _size, _name) => {},
  _embind_register_std_wstring__deps: [],
});

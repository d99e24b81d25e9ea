// In place of functions of the C and C++ libraries that format texts which nobody here can see: 6 kB of the download.
#include <cstdio>
#include <cstdlib>

extern "C" {

// For std::system_error: the text of an error of the operating system. There is none under WebAssembly.
char* strerror(int) {
  static char nothing[] = "";
  return nothing;
}

// For std::system_error too, and for std::to_string(double), in whose place stands text_of().
int snprintf(char* text, std::size_t size, const char*, ...) {
  if (size > 0) *text = '\0';
  return 0;
}

// sprintf() without floating-point numbers, for Embind's message about a type that nothing declares.
int siprintf(char* text, const char*, ...) {
  *text = '\0';
  return 0;
}

// The last words of std::terminate().
[[noreturn]] void abort_message(const char*, ...) { std::abort(); }

}  // extern "C"

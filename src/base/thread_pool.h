// Threads that share one loop at a time. While the workers spin, starting a loop costs a few hundred nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace transformer {

// A pool is passed in, never global; with one thread every loop runs in the caller, and no thread is started.
// Which thread runs a task never changes a result: tasks are independent, and nothing is summed across them.
class ThreadPool {
 public:
  static constexpr int kMaxThreads = 64;

  // Seconds that a loop may wait for its last tasks while none of them ends. Then a thread has died with a task, whose
  // memory it may still write to, and the program is aborted: waiting for it would never end.
  static constexpr double kPatience = 60;

  // `threads` includes the caller: 1 starts none. invalid_argument outside of 1 to kMaxThreads.
  explicit ThreadPool(int threads, double patience = kPatience);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }

  // Calls body(task, thread) for every task in [0, tasks), with 0 <= thread < size(), and returns when all are done.
  // The body must not throw and must not start another loop on the same pool.
  template <class Body>
  void parallel_for(int tasks, const Body& body) {
    if (size_ == 1 || tasks <= 1) {
      for (int task = 0; task < tasks; ++task) body(task, 0);
      return;
    }
    run(tasks, [](const void* self, int task, int thread) { (*static_cast<const Body*>(self))(task, thread); }, &body);
  }

  // The same, but runs in the caller if there is too little work to share. work: the cost of the whole loop in
  // multiply-adds or similar operations.
  template <class Body>
  void parallel_for(int tasks, double work, const Body& body) {
    if (work < kWorkWorthSharing) {
      for (int task = 0; task < tasks; ++task) body(task, 0);
    } else {
      parallel_for(tasks, body);
    }
  }

 private:
  using Call = void (*)(const void* body, int task, int thread);

  // About 5 microseconds on one thread: the worst case of starting a spinning worker.
  static constexpr double kWorkWorthSharing = 100e3;

  void run(int tasks, Call call, const void* body);
  void run_some(int first, int tasks, Call call, const void* body);  // tasks first, first + 1, ...

  struct Shared;
  std::unique_ptr<Shared> shared_;  // none with one thread
  int size_;
};

}  // namespace transformer

#include "base/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"

namespace transformer {

namespace {

// The state of a loop in one word, so that claiming a task also checks, in the same instruction, that the loop is still
// the same: | epoch 24 | tasks 20 | next 20 |.
constexpr int kTaskBits = 20;
constexpr int kMaxTasks = (1 << kTaskBits) - 1;

std::uint64_t make_state(std::uint64_t epoch, std::uint64_t tasks) {
  return epoch << (2 * kTaskBits) | tasks << kTaskBits;
}
std::uint64_t epoch_of(std::uint64_t state) { return state >> (2 * kTaskBits); }
int tasks_of(std::uint64_t state) { return state >> kTaskBits & kMaxTasks; }
int next_of(std::uint64_t state) { return state & kMaxTasks; }

// A worker sleeps after this many checks without work: about 0.4 ms in wasm, longer than the single-threaded parts of a
// pass, and than a JavaScript caller takes between two decoding steps. Waking a sleeping worker costs 35 microseconds,
// starting a spinning one 0.2 (Node.js 20, x86). With 20000 checks, 50 to 100 microseconds, the workers slept through
// half of a small model's layers.
constexpr int kSpins = 100000;

// Decides when a loop that stands still has done so for too long. Counts short intervals only: while a machine sleeps,
// the clock goes on and the threads do not.
class Watchdog {
 public:
  explicit Watchdog(double patience) : patience_(patience) {}

  // Called again and again with the number of tasks done.
  void look(int done) {
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    still_ = done == done_ ? still_ + std::min(passed, kLongestInterval) : 0;
    done_ = done;
    if (still_ > patience_) std::abort();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kLongestInterval = 0.1;

  double patience_;
  Clock::time_point last_ = Clock::now();
  double still_ = 0;  // seconds without progress
  int done_ = -1;
};

}  // namespace

struct ThreadPool::Shared {
  alignas(64) std::atomic<std::uint64_t> state{0};
  alignas(64) std::atomic<int> done{0};
  alignas(64) std::atomic<Call> call{nullptr};
  std::atomic<const void*> body{nullptr};
  std::atomic<int> first{0};  // task 0 of this loop in the caller's loop
  double patience = kPatience;
  std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::thread> workers;

  // Also called if the pool's constructor fails: starting a thread may throw after others have started.
  ~Shared() {
    {
      std::lock_guard lock(mutex);
      stop.store(true);
    }
    wake.notify_all();
    for (std::thread& started : workers) started.join();
  }

  // Claims and runs tasks of the current loop until none are left.
  void work(int thread) {
    std::uint64_t seen = state.load();
    while (next_of(seen) < tasks_of(seen)) {
      // Read before the claim and used after it: while a task is claimed, the loop cannot end, so these cannot change.
      const Call current_call = call.load(std::memory_order_relaxed);
      const void* current_body = body.load(std::memory_order_relaxed);
      const int current_first = first.load(std::memory_order_relaxed);
      if (!state.compare_exchange_weak(seen, seen + 1)) continue;
      current_call(current_body, current_first + next_of(seen), thread);
      done.fetch_add(1, std::memory_order_release);
      seen = state.load();
    }
  }

  void worker(int thread) {
    std::uint64_t epoch = 0;
    for (;;) {
      int spins = 0;
      while (epoch_of(state.load()) == epoch && !stop.load()) {
        if (++spins < kSpins) continue;
        std::unique_lock lock(mutex);
        sleepers.fetch_add(1);
        wake.wait(lock, [&] { return epoch_of(state.load()) != epoch || stop.load(); });
        sleepers.fetch_sub(1);
      }
      if (stop.load()) return;
      epoch = epoch_of(state.load());
      work(thread);
    }
  }
};

ThreadPool::ThreadPool(int threads, double patience) : size_(threads) {
  require(threads >= 1 && threads <= kMaxThreads, "threads must be between 1 and ", kMaxThreads, ", got ", threads);
  if (threads == 1) return;
  shared_ = std::make_unique<Shared>();
  shared_->patience = patience;
  shared_->workers.reserve(threads - 1);
  for (int thread = 1; thread < threads; ++thread) {
    shared_->workers.emplace_back([shared = shared_.get(), thread] { shared->worker(thread); });
  }
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(int tasks, Call call, const void* body) {
  for (int first = 0; first < tasks; first += std::min(kMaxTasks, tasks - first)) {
    run_some(first, std::min(kMaxTasks, tasks - first), call, body);
  }
}

void ThreadPool::run_some(int first, int tasks, Call call, const void* body) {
  Shared& shared = *shared_;
  shared.done.store(0, std::memory_order_relaxed);
  shared.call.store(call, std::memory_order_relaxed);
  shared.body.store(body, std::memory_order_relaxed);
  shared.first.store(first, std::memory_order_relaxed);
  shared.state.store(make_state(epoch_of(shared.state.load()) + 1, tasks));
  if (shared.sleepers.load() > 0) {
    std::lock_guard lock(shared.mutex);
    shared.wake.notify_all();
  }
  shared.work(0);
  int done = shared.done.load(std::memory_order_acquire);
  for (int spins = 0; done < tasks && spins < kSpins; ++spins) done = shared.done.load(std::memory_order_acquire);
  if (done == tasks) return;
  for (Watchdog watchdog(shared.patience); done < tasks; done = shared.done.load(std::memory_order_acquire)) {
    watchdog.look(done);
    std::this_thread::yield();
  }
}

}  // namespace transformer

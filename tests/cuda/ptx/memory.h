#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/ptx/module.h"

namespace cavs::cuda::ptx {

/// The last writer of a word of memory, and its readers since then.
struct Cell {
  std::uint32_t written_at = 0, read_at = 0;  // time of the last write and read, on the clocks of writer and reader
  std::uint32_t written_by = 0, read_by = 0;  // pc of the instruction
  std::uint16_t writer = 0, reader = 0;       // numbers of threads in the launch
  std::int32_t readers = -1;                  // index in Memory::readers_ if there are several readers, else -1
  std::uint8_t flags = 0;
};

/// A contiguous piece of memory that a kernel may access.
struct Allocation {
  std::string name;
  std::uint64_t base = 0;  // address by which the kernel accesses it
  std::size_t bytes = 0;
  unsigned char* data = nullptr;
  bool constant = false;
  bool stored = false, fixed = false;  // stored: written by this launch; fixed: read by ld.global.nc
  int shift = 2;                       // log2 of the bytes of a cell
  std::vector<Cell> cells{};
};

/// An access to memory: thread, instruction and form.
struct Access {
  int thread = 0;  // number in the launch
  std::uint32_t pc = 0;
  const AccessForm* form = nullptr;
};

/// The memory of a launch, for fibers and for the PTX interpreter. Checks that every access is inside of an allocation,
/// aligned, written before it is read, and ordered with accesses of other threads to the same word. The order is that
/// of the PTX memory model, kept as one vector clock per thread. Clocks are passed on at barriers, and from a release
/// to an acquire that reads its value. A strong read gets the oldest value that is allowed, and the next value each
/// time it is repeated. So a thread that waits for a counter is ordered only after the write for which it waits,
/// however far other threads are, and a race is found in any order of threads. Cells follow FastTrack (Flanagan,
/// Freund; PLDI 2009).
class Memory {
 public:
  /// Returns the text of an instruction for messages.
  using Where = std::function<std::string(std::uint32_t pc)>;

  Memory(Where where, int blocks, int threads);

  /// Adds memory that the kernel may access. @param written  true if the memory has values before the launch
  void add(std::string name, unsigned char* data, std::uint64_t base, std::size_t bytes, bool written,
           bool constant = false);

  /// Checks and records an access. @return the host's address of the number
  /// @throws Fault
  const unsigned char* read(const Access& access, std::uint64_t address, std::size_t bytes);
  unsigned char* write(const Access& access, std::uint64_t address, std::size_t bytes);
  /// Starts an asynchronous write. The value is final now, but may be read only after the thread has received it.
  unsigned char* send(const Access& access, std::uint64_t address, std::size_t bytes);
  /// Makes the thread's sends since the last commit() one group.
  void commit(int thread);
  /// Completes all groups of the thread except the last `but`; with -1, completes all sends.
  void receive(int thread, int but = -1);
  unsigned char* change(const Access& access, std::uint64_t address, std::size_t bytes);

  /// Synchronises the threads of the list with each other.
  void meet(const std::vector<int>& threads);
  /// Records a fence of the thread (fence.acq_rel or stronger).
  void fence(int thread);

  /// Makes the thread's next strong read count as new, even if it repeats the last read.
  void forget_last_read(int thread) { last_read_[thread] = 0; }
  /// True if the address of the thread's last strong read has a newer value.
  bool has_newer(int thread) const;

  /// Returns the number of writes and atomics so far. As long as it grows, the launch makes progress.
  std::uint64_t changes() const { return changes_; }

 private:
  struct Copy {
    std::uint64_t address;
    std::size_t bytes;
    int group;
  };
  struct Sent {
    std::vector<Copy> copies;
    int groups = 0;  // number of committed groups
  };
  using Clock = std::uint32_t;

  /// A value stored by a strong write.
  struct Version {
    std::uint64_t value = 0;      // set when a newer version replaces this one
    std::vector<Clock> clocks{};  // [threads]: clocks that a thread gets by an acquire of this value
    int writer = -1;              // thread; -1 if the value is from before the launch
    Clock written_at = 0;
  };
  struct Location {
    std::vector<Version> versions;
    std::vector<int> seen;  // [threads]: index of the newest version that the thread has read; -1 for none
  };

  Clock* clocks(int thread) { return clocks_.data() + static_cast<std::size_t>(thread) * threads_; }
  void join(Clock* into, const Clock* from) const;
  Allocation& find(const Access& access, std::uint64_t address, std::size_t bytes);
  void refine(Allocation& a, std::size_t bytes);
  template <typename F>
  unsigned char* each_cell(const Access& access, std::uint64_t address, std::size_t bytes, F f);
  void read_cell(const Access& access, Allocation& a, Cell& cell);
  void write_cell(const Access& access, Allocation& a, Cell& cell);
  void remember_reader(const Access& access, Cell& cell);
  std::int32_t new_readers(std::vector<Clock> clocks);
  void forget_readers(Cell& cell);
  void acquire(const Access& access, const Version& version);
  void release(const Access& access, std::uint64_t address, const unsigned char* now, std::size_t bytes, bool change);
  const Version& oldest(const Access& access, std::uint64_t address, Location& location);
  [[noreturn]] void race(const Access& access, const Allocation& a, const Cell& cell, const char* did, int other,
                         std::uint32_t by) const;
  std::string thread_name(int thread) const;
  std::string thread_name(const Access& access) const;
  std::string place(const Allocation& a, const Cell& cell) const;

  const Where where_;
  const int threads_of_block_;
  const std::size_t threads_;
  std::vector<Clock> clocks_;  // [threads][threads]: vector clock of each thread
  // [threads]: clocks at the thread's last fence; clocks of values that it has read by relaxed reads since then
  std::vector<std::vector<Clock>> fenced_, pending_;
  std::vector<Sent> sent_;                // [threads]: asynchronous writes that are not complete
  std::vector<std::uint64_t> last_read_;  // [threads]: address of the last strong read since a barrier, or 0
  std::unordered_map<std::uint64_t, Location> strong_;  // by address of a strong write or read
  std::vector<std::vector<Clock>> readers_;
  std::vector<std::int32_t> free_readers_;
  std::vector<std::unique_ptr<Allocation>> allocations_;  // ordered by base
  Allocation* last_ = nullptr;
  std::uint64_t changes_ = 0;
};

}  // namespace cavs::cuda::ptx

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/ptx/module.h"

namespace cavs::cuda::ptx {

/// What is known of a word of memory: who wrote it last, and who read it since.
struct Cell {
  std::uint32_t written_at = 0, read_at = 0;  // on the clocks of writer and reader
  std::uint32_t written_by = 0, read_by = 0;  // instruction
  std::uint16_t writer = 0, reader = 0;       // thread of the launch
  std::int32_t readers = -1;                  // more than one: which clocks of Memory
  std::uint8_t flags = 0;
};

/// Memory that a kernel may use.
struct Allocation {
  std::string name;
  std::uint64_t base = 0;  // as the kernel addresses it
  std::size_t bytes = 0;
  unsigned char* data = nullptr;
  bool constant = false;
  bool stored = false, fixed = false;  // by this launch: written, read by ld.global.nc
  int shift = 2;                       // bytes of a cell, as a power of 2
  std::vector<Cell> cells{};
};

/// Who accesses memory, and how.
struct Access {
  int thread = 0;  // of the launch
  std::uint32_t pc = 0;
  const AccessForm* form = nullptr;
};

/// The memory of a launch, for fibers and for the interpreter of PTX. Every access is checked: inside of an allocation,
/// aligned, written before it is read, and ordered with accesses of other threads to the same word. Order is that of
/// the PTX memory model, kept as one vector clock a thread: barriers, and what an acquiring read finds that a releasing
/// write left there, hand clocks on. A strong read gets the oldest value that it may, and a newer one each time that it
/// looks again: so whoever waits for a counter learns no more than what it waits for, however far the others are. So a
/// race is found whatever the order in which the threads happened to run. See FastTrack (Flanagan, Freund; PLDI 2009)
/// for the cells.
class Memory {
 public:
  /// An instruction as messages name it.
  using Where = std::function<std::string(std::uint32_t pc)>;

  Memory(Where where, int blocks, int threads);

  /// @param written  what it holds may be read
  void add(std::string name, unsigned char* data, std::uint64_t base, std::size_t bytes, bool written,
           bool constant = false);

  /// Where the number lies; the access is checked and remembered.
  /// @throws Fault
  const unsigned char* read(const Access& access, std::uint64_t address, std::size_t bytes);
  unsigned char* write(const Access& access, std::uint64_t address, std::size_t bytes);
  /// What is written has its value from now on, which may be read once the thread has received it.
  unsigned char* send(const Access& access, std::uint64_t address, std::size_t bytes);
  /// Makes one group of what the thread has sent since the last call.
  void commit(int thread);
  /// All that the thread has sent, or all of its groups but the last so many.
  void receive(int thread, int but = -1);
  unsigned char* change(const Access& access, std::uint64_t address, std::size_t bytes);

  /// All threads of the list see what the others did.
  void meet(const std::vector<int>& threads);
  /// fence.acq_rel and stronger.
  void fence(int thread);

  /// The thread's next strong read is no look again at what it has read last.
  void look_anew(int thread) { last_read_[thread] = 0; }
  /// Tells whether the location of the thread's last strong read has a newer value by now.
  bool has_newer(int thread) const;

  /// Writes and atomics so far: whether anybody gets on.
  std::uint64_t changes() const { return changes_; }

 private:
  struct Copy {
    std::uint64_t address;
    std::size_t bytes;
    int group;
  };
  struct Sent {
    std::vector<Copy> copies;
    int groups = 0;  // that are complete
  };
  using Clock = std::uint32_t;

  /// A value that a strong write left.
  struct Version {
    std::uint64_t value = 0;      // once there is a newer one
    std::vector<Clock> clocks{};  // that whoever acquires it gets
    int writer = -1;              // -1: it was there before the launch
    Clock written_at = 0;
  };
  struct Location {
    std::vector<Version> versions;
    std::vector<int> seen;  // [threads] the newest that it has read, -1
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
  std::string who(const Access& access) const;
  std::string place(const Allocation& a, const Cell& cell) const;

  const Where where_;
  const int threads_of_block_;
  const std::size_t threads_;
  std::vector<Clock> clocks_;                           // [threads][threads]
  std::vector<std::vector<Clock>> fenced_, pending_;    // [threads]: at the last fence; of relaxed reads since
  std::vector<Sent> sent_;                              // [threads] what is on its way
  std::vector<std::uint64_t> last_read_;                // [threads] address, since its last barrier; 0: none
  std::unordered_map<std::uint64_t, Location> strong_;  // by address
  std::vector<std::vector<Clock>> readers_;
  std::vector<std::int32_t> free_readers_;
  std::vector<std::unique_ptr<Allocation>> allocations_;  // by base
  Allocation* last_ = nullptr;
  std::uint64_t changes_ = 0;
};

}  // namespace cavs::cuda::ptx

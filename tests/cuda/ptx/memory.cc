#include "cuda/ptx/memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda/ptx/fault.h"

namespace cavs::cuda::ptx {
namespace {

enum CellFlag : std::uint8_t {
  kHasValue = 1,
  kWritten = 2,      // this launch wrote the cell
  kStrongWrite = 4,  // the last write was relaxed, release or atomic
  kRead = 8,         // read since the last write
  kWeakRead = 16,    // a read since the last write was neither relaxed nor acquire
  kOnItsWay = 32,    // a cp.async that is not complete writes the cell
};

bool is_strong(const Access& access) { return access.form->order != Order::kWeak; }
bool acquires(Order order) { return order == Order::kAcquire || order == Order::kBoth; }
bool releases(Order order) { return order == Order::kRelease || order == Order::kBoth; }

}  // namespace

Memory::Memory(Where where, int blocks, int threads)
    : where_(std::move(where)),
      threads_of_block_(threads),
      threads_(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(threads)),
      clocks_(threads_ * threads_),
      fenced_(threads_),
      pending_(threads_),
      sent_(threads_),
      last_read_(threads_) {
  for (std::size_t t = 0; t < threads_; ++t) clocks_[t * threads_ + t] = 1;
}

void Memory::add(std::string name, unsigned char* data, std::uint64_t base, std::size_t bytes, bool written,
                 bool constant) {
  if (bytes == 0) return;
  auto made = std::make_unique<Allocation>(Allocation{std::move(name), base, bytes, data, constant});
  made->cells.resize((bytes + 3) / 4);
  if (written)
    for (Cell& cell : made->cells) cell.flags = kHasValue;
  const auto by_base = [](std::uint64_t at, const auto& a) { return at < a->base; };
  allocations_.insert(std::upper_bound(allocations_.begin(), allocations_.end(), base, by_base), std::move(made));
}

void Memory::join(Clock* into, const Clock* from) const {
  for (std::size_t t = 0; t < threads_; ++t) into[t] = std::max(into[t], from[t]);
}

std::string Memory::thread_name(int thread) const {
  return fmt::format("block {} thread {}", thread / threads_of_block_, thread % threads_of_block_);
}

std::string Memory::thread_name(const Access& access) const {
  return fmt::format("{}: {}", where_(access.pc), thread_name(access.thread));
}

std::string Memory::place(const Allocation& a, const Cell& cell) const {
  return fmt::format("{} byte {}", a.name, (&cell - a.cells.data()) << a.shift);
}

Allocation& Memory::find(const Access& access, std::uint64_t address, std::size_t bytes) {
  const auto has = [&](const Allocation& a) {
    return address - a.base < a.bytes && address - a.base + bytes <= a.bytes;
  };
  if (last_ == nullptr || !has(*last_)) {
    const auto by_base = [](std::uint64_t at, const auto& a) { return at < a->base; };
    const auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address, by_base);
    if (after == allocations_.begin() || !has(**(after - 1))) {
      std::string near = "none is below";
      if (after != allocations_.begin()) {
        const Allocation& a = **(after - 1);
        near = fmt::format("{} has {} bytes, this is from byte {} on", a.name, a.bytes, address - a.base);
      }
      fault(FaultKind::kOutOfBounds, "{} accesses {} bytes outside of every allocation: {}", thread_name(access), bytes,
            near);
    }
    last_ = (after - 1)->get();
  }
  return *last_;
}

/// Splits cells until a cell is no larger than an access of `bytes`.
void Memory::refine(Allocation& a, std::size_t bytes) {
  const std::size_t parts = (std::size_t{1} << a.shift) / bytes;
  std::vector<Cell> finer;
  for (const Cell& cell : a.cells)
    for (std::size_t part = 0; part < parts; ++part) {
      finer.push_back(cell);
      if (part > 0 && cell.readers >= 0) finer.back().readers = new_readers(readers_[cell.readers]);
    }
  a.cells = std::move(finer);
  while ((std::size_t{1} << a.shift) > bytes) --a.shift;
}

template <typename F>
unsigned char* Memory::each_cell(const Access& access, std::uint64_t address, std::size_t bytes, F f) {
  Allocation& a = find(access, address, bytes);
  if (address % bytes != 0)
    fault(FaultKind::kMisaligned, "{} accesses {} bytes at byte {} of {}", thread_name(access), bytes, address - a.base,
          a.name);
  const std::size_t number = access.form->bytes;
  if (number < (std::size_t{1} << a.shift)) refine(a, number);
  const std::size_t first = (address - a.base) >> a.shift, last = (address - a.base + bytes - 1) >> a.shift;
  for (std::size_t c = first; c <= last; ++c) f(a, a.cells[c]);
  return a.data + (address - a.base);
}

void Memory::race(const Access& access, const Allocation& a, const Cell& cell, const char* did, int other,
                  std::uint32_t by) const {
  fault(FaultKind::kRace, "{}, {} and {}, which {} there ({}), are not ordered", place(a, cell), thread_name(access),
        thread_name(other), did, where_(by));
}

void Memory::read_cell(const Access& access, Allocation& a, Cell& cell) {
  if ((cell.flags & kHasValue) == 0)
    fault(FaultKind::kUnwrittenMemory, "{} reads {}, which nobody has written", thread_name(access), place(a, cell));
  if ((cell.flags & kOnItsWay) != 0)
    fault(FaultKind::kUnwrittenMemory, "{} reads {}, which is on its way ({})", thread_name(access), place(a, cell),
          where_(cell.written_by));
  const bool written = (cell.flags & kWritten) != 0;
  if (access.form->fixed) {
    if (a.stored)
      fault(FaultKind::kReadOnly, "{} reads {} as constant, but this launch writes {}", thread_name(access),
            place(a, cell), a.name);
    a.fixed = true;
    return;
  }
  if (a.constant) return;
  const bool strong = is_strong(access);
  if (written && cell.writer != access.thread && cell.written_at > clocks(access.thread)[cell.writer] &&
      !(strong && (cell.flags & kStrongWrite) != 0))
    race(access, a, cell, "wrote", cell.writer, cell.written_by);
  if (!strong) cell.flags |= kWeakRead;
  remember_reader(access, cell);
}

void Memory::remember_reader(const Access& access, Cell& cell) {
  const Clock* const mine = clocks(access.thread);
  const Clock now = mine[access.thread];
  if (cell.readers >= 0) {
    readers_[cell.readers][access.thread] = now;
    return;
  }
  if ((cell.flags & kRead) != 0 && cell.reader != access.thread && mine[cell.reader] < cell.read_at) {
    cell.readers = new_readers(std::vector<Clock>(threads_));
    readers_[cell.readers][cell.reader] = cell.read_at;
    readers_[cell.readers][access.thread] = now;
    return;
  }
  cell.flags |= kRead;
  cell.reader = static_cast<std::uint16_t>(access.thread);
  cell.read_at = now;
  cell.read_by = access.pc;
}

std::int32_t Memory::new_readers(std::vector<Clock> clocks) {
  if (free_readers_.empty()) {
    free_readers_.push_back(static_cast<std::int32_t>(readers_.size()));
    readers_.emplace_back();
  }
  const std::int32_t number = free_readers_.back();
  free_readers_.pop_back();
  readers_[number] = std::move(clocks);
  return number;
}

void Memory::forget_readers(Cell& cell) {
  if (cell.readers >= 0) {
    std::ranges::fill(readers_[cell.readers], 0);
    free_readers_.push_back(cell.readers);
    cell.readers = -1;
  }
  cell.flags &= static_cast<std::uint8_t>(~(kRead | kWeakRead));
}

void Memory::write_cell(const Access& access, Allocation& a, Cell& cell) {
  if (a.constant || a.fixed)
    fault(FaultKind::kReadOnly, "{} writes {}, but {} {}", thread_name(access), place(a, cell), a.name,
          a.constant ? "is constant" : "is read by this launch as constant");
  a.stored = true;
  const Clock* const mine = clocks(access.thread);
  const bool strong = is_strong(access);
  if ((cell.flags & kWritten) != 0 && cell.writer != access.thread && cell.written_at > mine[cell.writer] &&
      !(strong && (cell.flags & kStrongWrite) != 0))
    race(access, a, cell, "wrote", cell.writer, cell.written_by);
  if (cell.readers >= 0 && (!strong || (cell.flags & kWeakRead) != 0)) {
    const std::vector<Clock>& readers = readers_[cell.readers];
    bool ordered = true;
    for (std::size_t t = 0; t < threads_; ++t) ordered &= readers[t] <= mine[t];
    if (!ordered) {
      for (std::size_t t = 0; t < threads_; ++t)
        if (readers[t] > mine[t] && static_cast<int>(t) != access.thread)
          race(access, a, cell, "read", static_cast<int>(t), cell.read_by);
    }
  } else if ((cell.flags & kRead) != 0 && cell.reader != access.thread && cell.read_at > mine[cell.reader] &&
             (!strong || (cell.flags & kWeakRead) != 0)) {
    race(access, a, cell, "read", cell.reader, cell.read_by);
  }
  forget_readers(cell);
  cell.flags = kHasValue | kWritten | (strong ? kStrongWrite : 0);
  cell.writer = static_cast<std::uint16_t>(access.thread);
  cell.written_at = mine[access.thread];
  cell.written_by = access.pc;
}

void Memory::acquire(const Access& access, const Version& version) {
  if (version.clocks.empty()) return;
  if (acquires(access.form->order)) return join(clocks(access.thread), version.clocks.data());
  pending_[access.thread].resize(threads_);
  join(pending_[access.thread].data(), version.clocks.data());
}

/// Returns the oldest value that the thread may read: no write that is ordered before the read replaced the value, and
/// the thread has read no newer value. A thread that repeats its last read without a barrier is waiting for a change,
/// so it gets the next value.
const Memory::Version& Memory::oldest(const Access& access, std::uint64_t address, Location& location) {
  const Clock* const mine = clocks(access.thread);
  int& seen = location.seen[access.thread];
  const int last = static_cast<int>(location.versions.size()) - 1;
  const bool again = std::exchange(last_read_[access.thread], address) == address;
  int known = std::min(again ? seen + 1 : std::max(seen, 0), last);
  for (int v = last; v > known; --v)
    if (const Version& version = location.versions[v]; version.written_at <= mine[version.writer]) known = v;
  seen = known;
  return location.versions[known];
}

bool Memory::has_newer(int thread) const {
  const auto found = strong_.find(last_read_[thread]);
  return found != strong_.end() && found->second.seen[thread] + 1 < std::ssize(found->second.versions);
}

/// Records a strong write. Call it before the new value is stored.
void Memory::release(const Access& access, std::uint64_t address, const unsigned char* now, std::size_t bytes,
                     bool change) {
  Location& location = strong_[address];
  if (location.versions.empty()) {
    location.versions.emplace_back();
    location.seen.assign(threads_, -1);
  }
  std::memcpy(&location.versions.back().value, now, bytes);
  Clock* const mine = clocks(access.thread);
  Version made{0, {}, access.thread, mine[access.thread]};
  if (change) made.clocks = location.versions.back().clocks;
  const std::vector<Clock>& fenced = fenced_[access.thread];
  if (releases(access.form->order)) {
    made.clocks.resize(threads_);
    join(made.clocks.data(), mine);
    ++mine[access.thread];
  } else if (!fenced.empty()) {
    made.clocks.resize(threads_);
    join(made.clocks.data(), fenced.data());
  }
  location.versions.push_back(std::move(made));
}

const unsigned char* Memory::read(const Access& access, std::uint64_t address, std::size_t bytes) {
  const unsigned char* const at =
      each_cell(access, address, bytes, [&](Allocation& a, Cell& cell) { read_cell(access, a, cell); });
  if (!is_strong(access)) return at;
  const auto found = strong_.find(address);
  if (found == strong_.end()) {
    forget_last_read(access.thread);
    return at;
  }
  const Version& version = oldest(access, address, found->second);
  acquire(access, version);
  return &version == &found->second.versions.back() ? at : reinterpret_cast<const unsigned char*>(&version.value);
}

unsigned char* Memory::write(const Access& access, std::uint64_t address, std::size_t bytes) {
  ++changes_;
  bool was_strong = false;
  unsigned char* const at = each_cell(access, address, bytes, [&](Allocation& a, Cell& cell) {
    was_strong |= (cell.flags & kStrongWrite) != 0;
    write_cell(access, a, cell);
  });
  if (is_strong(access))
    release(access, address, at, bytes, false);
  else if (was_strong)
    strong_.erase(address);
  return at;
}

unsigned char* Memory::send(const Access& access, std::uint64_t address, std::size_t bytes) {
  sent_[access.thread].copies.push_back({address, bytes, sent_[access.thread].groups});
  unsigned char* const at = write(access, address, bytes);
  each_cell(access, address, bytes, [](Allocation&, Cell& cell) { cell.flags |= kOnItsWay; });
  return at;
}

void Memory::receive(int thread, int but) {
  static constexpr AccessForm kNumber{.bytes = 4};
  Sent& sent = sent_[thread];
  std::erase_if(sent.copies, [&](const Copy& copy) {
    if (but >= 0 && copy.group + but >= sent.groups) return false;
    each_cell({thread, 0, &kNumber}, copy.address, copy.bytes,
              [](Allocation&, Cell& cell) { cell.flags &= static_cast<std::uint8_t>(~kOnItsWay); });
    return true;
  });
}

void Memory::commit(int thread) { ++sent_[thread].groups; }

unsigned char* Memory::change(const Access& access, std::uint64_t address, std::size_t bytes) {
  ++changes_;
  const auto found = strong_.find(address);
  if (found != strong_.end()) acquire(access, found->second.versions.back());
  unsigned char* const at = each_cell(access, address, bytes, [&](Allocation& a, Cell& cell) {
    read_cell(access, a, cell);
    write_cell(access, a, cell);
  });
  release(access, address, at, bytes, true);
  return at;
}

void Memory::meet(const std::vector<int>& threads) {
  std::vector<Clock> all(threads_);
  for (const int t : threads) join(all.data(), clocks(t));
  for (const int t : threads) {
    std::ranges::copy(all, clocks(t));
    ++clocks(t)[t];
    forget_last_read(t);
  }
  ++changes_;
}

void Memory::fence(int thread) {
  Clock* const mine = clocks(thread);
  if (!pending_[thread].empty()) join(mine, pending_[thread].data());
  fenced_[thread].assign(mine, mine + threads_);
  ++mine[thread];
}

}  // namespace cavs::cuda::ptx

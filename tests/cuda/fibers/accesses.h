#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/fibers/clocks.h"
#include "cuda/launch_buffer.h"

namespace cavs::cuda {

/// The memory of a launch: finds accesses that lie outside of it, read what nobody has written, or race, which is two
/// accesses by two threads, one of them to write, that nothing orders. Whether it finds a race does not depend on the
/// order in which threads run: what is ordered is known from barriers and counters alone (as in FastTrack, PLDI 2009).
class Accesses {
 public:
  /// @param block  threads of one
  Accesses(std::span<const LaunchBuffer> memory, const ThreadClocks& clocks, int block)
      : clocks_(clocks), block_(block) {
    for (const LaunchBuffer& buffer : memory) add(buffer);
  }

  void add(const LaunchBuffer& buffer) {
    Region region{buffer, std::vector<Word>(buffer.bytes / kWord)};
    const auto after = std::ranges::upper_bound(regions_, region.begin(), {}, &Region::begin);
    regions_.insert(after, std::move(region));
  }

  /// @return it lies in memory
  bool load(int thread, const void* p, int bytes) {
    return each_word(p, bytes, [&](Region& region, Word& word) {
      if (word.write.thread < 0) {
        if (!region.buffer.written)
          report(name(thread) + " reads " + name(region, word) + ", which nobody has written");
      } else if (!is_after(thread, word.write)) {
        report_race(region, word, thread, "reads", word.write, "writes");
      }
      note_read(thread, word);
    });
  }
  /// By a path that sees nothing of what the launch writes.
  bool load_fixed(const void* p, int bytes) {
    Region* const region = find(p, bytes);
    if (region == nullptr) return false;
    if (region->is_stored) report("what is written, " + region->buffer.name + ", is read as if it were fixed");
    return region->is_fixed = true;
  }
  bool store(int thread, const void* p, int bytes) {
    return each_word(p, bytes, [&](Region& region, Word& word) {
      if (region.is_fixed) report("what is read as if it were fixed, " + region.buffer.name + ", is written");
      region.is_stored = true;
      if (word.write.thread >= 0 && !is_after(thread, word.write))
        report_race(region, word, thread, "writes", word.write, "writes");
      for (const Access& read : word.reads)
        if (!is_after(thread, read)) report_race(region, word, thread, "writes", read, "reads");
      word.reads.clear();
      word.write = {thread, clocks_.own(thread)};
    });
  }

  void report(std::string fault) {
    if (faults_.size() < kMost) faults_.push_back(std::move(fault));
  }
  std::vector<std::string> take_faults() { return std::move(faults_); }
  /// Whether a kernel need not go on: there are enough faults, or there is one, and it goes on for long. What does not
  /// wait where it must may loop for ever, by a number that another thread has written meanwhile.
  bool is_enough() { return !faults_.empty() && (faults_.size() == kMost || ++since_fault_ > kPatience); }

 private:
  static constexpr std::size_t kWord = 4;  // bytes
  static constexpr std::size_t kMost = 10;
  static constexpr std::int64_t kPatience = 10'000'000;  // accesses

  struct Access {
    int thread = -1;
    std::uint32_t time = 0;
  };
  struct Word {
    Access write;
    std::vector<Access> reads;  // since it was written; those may be left out that another one of the list comes after
    std::size_t clean_at = 8;   // so many, before such are looked for
  };
  struct Region {
    LaunchBuffer buffer;
    std::vector<Word> words;
    bool is_stored = false, is_fixed = false;

    std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(buffer.data); }
  };

  /// nullptr, and a fault: no buffer has all of it.
  Region* find(const void* p, int bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    const auto after = std::ranges::upper_bound(regions_, at, {}, [](const Region& region) { return region.begin(); });
    if (after != regions_.begin()) {
      Region& region = *std::prev(after);
      if (at + static_cast<std::size_t>(bytes) <= region.begin() + region.words.size() * kWord) return &region;
    }
    report("an access lies outside of all memory");
    return nullptr;
  }
  template <typename F>
  bool each_word(const void* p, int bytes, F f) {
    Region* const region = find(p, bytes);
    if (region == nullptr) return false;
    const std::size_t first = (reinterpret_cast<std::uintptr_t>(p) - region->begin()) / kWord;
    for (std::size_t w = first; w < first + static_cast<std::size_t>(bytes) / kWord; ++w) f(*region, region->words[w]);
    return true;
  }

  bool is_after(int thread, const Access& access) const {
    return access.thread == thread || clocks_.known(thread, access.thread) >= access.time;
  }
  void note_read(int thread, Word& word) const {
    const std::uint32_t now = clocks_.own(thread);
    if (!word.reads.empty() && word.reads.back().thread == thread) {
      word.reads.back().time = now;
      return;
    }
    if (word.reads.size() >= word.clean_at) {
      std::erase_if(word.reads, [&](const Access& read) { return is_after(thread, read); });
      word.clean_at = std::max<std::size_t>(8, 2 * word.reads.size());
    }
    word.reads.push_back({thread, now});
  }

  static std::string name(const Region& region, const Word& word) {
    return "word " + std::to_string(&word - region.words.data()) + " of " + region.buffer.name;
  }
  std::string name(int thread) const {
    return "thread " + std::to_string(thread % block_) + " of block " + std::to_string(thread / block_);
  }
  void report_race(const Region& region, const Word& word, int thread, const char* does, const Access& other,
                   const char* did) {
    report("race: " + name(thread) + " " + does + " " + name(region, word) + ", which " + name(other.thread) + " " +
           did + " with nothing between");
  }

  std::vector<Region> regions_;
  const ThreadClocks& clocks_;
  int block_;
  std::vector<std::string> faults_;
  std::int64_t since_fault_ = 0;  // accesses
};

}  // namespace cavs::cuda

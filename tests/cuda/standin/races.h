#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cavs::cuda {

/// Finds unordered accesses to a GPU's memory with vector clocks. Operations of one stream are ordered. All other order
/// comes from events and from the host's waits, whatever order the operations happen to run in.
class Races {
 public:
  static constexpr int kStreams = 8;  // maximum number of streams at a time
  /// [streams]: number of operations of each stream that are known to be done.
  using Clock = std::array<std::int32_t, kStreams>;
  /// The last write of four bytes, and the last read by each stream.
  struct Touch {
    int writer = -1;
    std::int32_t written = 0;
    Clock read{};
  };
  using Touches = std::vector<Touch>;

  /// Returns the number of a new stream; 0, the number of the default stream, if there are too many.
  int begin_stream() {
    const auto free = std::find(in_use_.begin() + 1, in_use_.end(), false);
    if (free == in_use_.end()) return 0;
    *free = true;
    return static_cast<int>(free - in_use_.begin());
  }
  void end_stream(int stream) { in_use_[stream] = false; }

  const Clock& host() const { return host_; }
  void host_learns(const Clock& done) { join(host_, done); }
  const Clock& done(int stream) const { return known_[stream]; }
  void learn(int stream, const Clock& done) { join(known_[stream], done); }
  /// Begins the next operation of a stream. @param asked  what the host knew when it requested the operation
  void begin(int stream, const Clock& asked) {
    learn(stream, asked);
    at_ = stream;
    ++known_[stream][stream];
  }

  /// Records an access of the current operation to bytes of a piece of memory of `size` bytes.
  /// @return true if it races with another access
  bool access(Touches& of, std::size_t size, std::size_t byte, std::size_t bytes, bool writes) {
    if (of.empty()) of.resize(size / 4 + 1);
    const Clock& known = known_[at_];
    bool is_race = false;
    for (std::size_t k = byte / 4; k <= (byte + bytes - 1) / 4; ++k) {
      Touch& touch = of[k];
      is_race = is_race || (touch.writer >= 0 && touch.written > known[touch.writer]);
      for (int s = 0; writes && s < kStreams; ++s) is_race = is_race || touch.read[s] > known[s];
      if (writes) {
        touch.writer = at_;
        touch.written = known[at_];
      } else
        touch.read[at_] = known[at_];
    }
    return is_race;
  }

 private:
  static void join(Clock& own, const Clock& other) {
    for (int s = 0; s < kStreams; ++s) own[s] = std::max(own[s], other[s]);
  }

  std::array<bool, kStreams> in_use_{};
  std::array<Clock, kStreams> known_{};
  Clock host_{};
  int at_ = 0;
};

}  // namespace cavs::cuda

#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace cavs::inline v0_1 {

/// Philox4x32-10 (Salmon et al., SC 2011): returns four random words for each (key, counter), without state.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * counter[0], p1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return counter;
}

/// The purpose of a stream of random numbers. Streams of different purposes never share numbers.
enum class RandomPurpose : std::uint32_t {
  kInitialise = 1,
  kShuffle = 2,
  kDropout = 3,
  kGenerator = 4,
  kPolicy = 5,
  kContinuation = 6,
  kBuckets = 7,
};

/// A sequential reader of one Philox stream. Equal (seed, purpose, stream) give equal numbers on every machine.
class Random {
 public:
  Random(std::uint64_t seed, RandomPurpose purpose, std::uint64_t stream = 0)
      : seed_(seed), purpose_(purpose), stream_(stream) {}
  std::uint32_t next() {
    if (position_ % 4 == 0)
      block_ = philox({static_cast<std::uint32_t>(position_ / 4), static_cast<std::uint32_t>(purpose_),
                       static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                      seed_);
    return block_[position_++ % 4];
  }
  /// Returns a number that is uniform in [0, 1), a multiple of 2^-24.
  float uniform() { return static_cast<float>(next() >> 8) * 0x1p-24F; }
  /// Returns an integer that is uniform in [0, bound), without bias. `bound` is positive.
  std::uint32_t below(std::uint32_t bound) {
    const std::uint32_t threshold = (0U - bound) % bound;
    for (;;) {
      const std::uint64_t product = std::uint64_t{next()} * bound;
      if (static_cast<std::uint32_t>(product) >= threshold) return static_cast<std::uint32_t>(product >> 32);
    }
  }
  /// Returns a number with standard normal distribution, by the Box-Muller transform.
  float normal() {
    const double u = 1.0 - (next() >> 8) * 0x1p-24, v = (next() >> 8) * 0x1p-24;  // u is in (0, 1], so log(u) is finite
    return static_cast<float>(std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v));
  }

 private:
  std::uint64_t seed_;
  RandomPurpose purpose_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  std::array<std::uint32_t, 4> block_{};
};

}  // namespace cavs::inline v0_1

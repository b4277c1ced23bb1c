#include "execute/reference/dropout.h"

#include <cmath>

namespace cavs::reference {
namespace {

struct Product {
  std::uint32_t high, low;
};

Product multiply(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

constexpr std::uint32_t kDropoutStream = 3;  // no other use of random numbers has this number
constexpr std::uint32_t kAllVertices = 0xFFFFFFFF;

}  // namespace

Words philox4x32(Words counter, std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const Product left = multiply(0xD2511F53, counter[0]);
    const Product right = multiply(0xCD9E8D57, counter[2]);
    counter = {right.high ^ counter[1] ^ key[0], right.low, left.high ^ counter[3] ^ key[1], left.low};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

bool is_dropped(const MaskKey& key, std::int64_t column, double probability) {
  const std::array seed{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)};
  const Words of_epoch = philox4x32({key.epoch, kDropoutStream, 0, 0}, seed);
  const auto block = static_cast<std::uint32_t>(column / 4);
  const Words words =
      philox4x32({block, key.sample, key.vertex.value_or(kAllVertices), key.mask}, {of_epoch[0], of_epoch[1]});
  // The upper 24 bits are a number in [0, 1). The probability is rounded to fp32 before the comparison.
  const double drawn = std::ldexp(static_cast<double>(words[column % 4] >> 8), -24);
  return drawn < static_cast<double>(static_cast<float>(probability));
}

}  // namespace cavs::reference

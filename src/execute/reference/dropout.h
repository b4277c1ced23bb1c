#pragma once

#include <array>
#include <cstdint>
#include <optional>

// Dropout masks as they are defined. The random number generator is a second implementation, which no kernel uses.
namespace cavs::reference {

using Words = std::array<std::uint32_t, 4>;

/// Philox4x32-10 of Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), section 4.2.
Words philox4x32(Words counter, std::array<std::uint32_t, 2> key);

/// The inputs of a dropout mask. They include no row of a minibatch, so masks do not depend on policy, batch size or
/// threads.
struct MaskKey {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0;
  std::uint32_t mask = 0;    // number of the vertex function * 2^16 + number of the mask in the function
  std::uint32_t sample = 0;  // number in the data set
  // number of the vertex, or of an edge's child slot, in its sample; nullopt for one mask for the whole sample
  std::optional<std::uint32_t> vertex = {};
};

/// True if the mask zeroes this column.
bool is_dropped(const MaskKey& key, std::int64_t column, double probability);

}  // namespace cavs::reference

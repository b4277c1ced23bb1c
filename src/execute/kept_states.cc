#include "execute/kept_states.h"

#include <algorithm>
#include <bit>

#include "execute/engine.h"

namespace cavs::inline v0_1 {
namespace {

/// The loop has no branch per number, so that the compiler vectorises it.
bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000;
  std::uint32_t bad = 0;
  for (const float x : values) bad |= (std::bit_cast<std::uint32_t>(x) & kExponent) == kExponent ? 1U : 0U;
  return bad == 0;
}

}  // namespace

void HostStateMemory::resize(std::int64_t floats, std::span<const Move> moves) {
  std::vector<float> replaced(static_cast<std::size_t>(floats));
  replaced.swap(values_);
  for (const Move& move : moves) std::copy_n(replaced.begin() + move.from, move.count, values_.begin() + move.to);
}

std::vector<char> EngineRun::keep(const PreparedBatch& batch, std::span<const KeptPort> ports,
                                  std::span<const std::int32_t> vertices, std::span<const std::int32_t> slots) {
  std::vector<char> finite(vertices.size(), 1);
  std::vector<const float*> found(vertices.size());
  for (const KeptPort& port : ports) {
    rows(batch, PortKind::kPush, port.port, vertices, found);
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      const std::span to(port.rows + std::int64_t{slots[k]} * port.width, static_cast<std::size_t>(port.width));
      if (found[k] == nullptr)
        std::ranges::fill(to, 0.0F);
      else
        std::copy_n(found[k], to.size(), to.begin());
      if (!all_finite(to)) finite[k] = 0;
    }
  }
  return finite;
}

}  // namespace cavs::inline v0_1

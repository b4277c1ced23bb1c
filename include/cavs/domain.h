#pragma once

#include <cstdint>
#include <string>

namespace cavs {

/// What a value has one row for. `kLabelled` is a vertex that has a label on one index port: what only its losses need
/// has no value elsewhere, and its gradient is zero there. `kPresent` has the same rows: linear functions of an absent
/// input are zero, so they are evaluated on these rows only. `kDistinct` is a number that some vertices of the
/// minibatch have on the port: one row for all of them; zero, too, where the input is absent.
enum class DomainKind : std::uint8_t { kParameter, kLabelled, kPresent, kDistinct, kVertex, kEdge };

struct Domain {
  DomainKind kind = DomainKind::kVertex;
  std::string port = {};  // of kLabelled, kPresent and kDistinct

  bool operator==(const Domain&) const = default;
};

/// Whether it has rows for some of the vertices only, or one for several.
inline bool is_partial(const Domain& domain) {
  return domain.kind >= DomainKind::kLabelled && domain.kind <= DomainKind::kDistinct;
}

std::string to_string(const Domain& domain);

/// The smallest domain that both can be read in: a value is broadcast from parameter to present to vertex to edge.
Domain join(const Domain& a, const Domain& b);

}  // namespace cavs

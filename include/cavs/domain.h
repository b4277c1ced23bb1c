#pragma once

#include <cstdint>
#include <string>

namespace cavs {

/// What a value has one row for: a parameter, a vertex, or an edge (a pair of a vertex and one of its children); or, of
/// one port, each vertex that has a label (`kLabelled`: no value is read elsewhere, and gradients are zero there), each
/// vertex that has this input (`kPresent`: the value is zero elsewhere, as a linear function of an absent input is), or
/// each different number that vertices of the minibatch have (`kDistinct`: zero where the input is absent).
enum class DomainKind : std::uint8_t { kParameter, kLabelled, kPresent, kDistinct, kVertex, kEdge };

struct Domain {
  DomainKind kind = DomainKind::kVertex;
  std::string port = {};  // of kLabelled, kPresent and kDistinct

  bool operator==(const Domain&) const = default;
};

/// Whether only some of the vertices have a row, or several share one.
inline bool is_partial(const Domain& domain) {
  return domain.kind >= DomainKind::kLabelled && domain.kind <= DomainKind::kDistinct;
}

std::string to_string(const Domain& domain);

/// The domain of what is computed from both, by broadcasting: from parameter to present to vertex to edge.
Domain join(const Domain& a, const Domain& b);

}  // namespace cavs

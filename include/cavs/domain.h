#pragma once

#include <cstdint>
#include <string>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// What a value has one row for: the whole minibatch (kParameter), each vertex, or each edge (a vertex and one of its
/// children). The others belong to a port. kLabelled: each vertex that has a label there; elsewhere the value is
/// not read and the gradient is zero. kPresent: each vertex that has this input; at other vertices the value is zero.
/// kDistinct: each different number that the vertices of a minibatch have; the value is zero where there is none.
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

/// The domain of what is computed from both, by broadcasting: parameter to all others, all these to vertex and edge.
Domain join(const Domain& a, const Domain& b);

}  // namespace v0_1
}  // namespace cavs

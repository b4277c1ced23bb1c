#include <fmt/format.h>

#include "cavs/attributes.h"

namespace cavs::inline v0_1 {

std::string to_string(const Domain& domain) {
  switch (domain.kind) {
    case DomainKind::kParameter:
      return "parameter";
    case DomainKind::kLabelled:
      return fmt::format("labelled({})", domain.port);
    case DomainKind::kPresent:
      return fmt::format("present({})", domain.port);
    case DomainKind::kDistinct:
      return fmt::format("distinct({})", domain.port);
    case DomainKind::kVertex:
      return "vertex";
    case DomainKind::kEdge:
      return "edge";
  }
  return "?";
}

Domain join(const Domain& a, const Domain& b) {
  if (a == b) return a;
  if (is_partial(a) && is_partial(b)) return {DomainKind::kVertex, {}};  // their rows differ
  return a.kind < b.kind ? b : a;
}

}  // namespace cavs::inline v0_1

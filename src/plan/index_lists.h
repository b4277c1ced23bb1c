#pragma once

#include <cstdint>

#include "plan/edge_rows.h"
#include "plan/plan_draft.h"
#include "plan/ports.h"

namespace cavs {

/// The lists of rows that gathers, broadcasts and lookups read through (TypeProgram::indices). Lists that are equal
/// share their memory. Refers to the edges and ports, which must have been added.
class IndexLists {
 public:
  IndexLists(EdgeRows& edges, const Ports& ports) : edges_(edges), ports_(ports) {}

  void add_to(PlanDraft& draft, std::int32_t type);

 private:
  Slice list(PlanDraft& draft, std::int32_t type, const IndexRequest& request, const PortRows& port);

  EdgeRows& edges_;
  const Ports& ports_;
};

}  // namespace cavs

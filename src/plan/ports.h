#pragma once

#include <cstdint>
#include <vector>

#include "plan/distinct_rows.h"
#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// The index ports that each type reads, and the rows of the type's partial domains, including the distinct domains.
class Ports {
 public:
  explicit Ports(const Program& program);

  void add_to(PlanDraft& draft, std::int32_t type);

  /// Returns the port that list `index` of the type is made from. Its name is empty if there is no port.
  const PortRows& of_list(std::int32_t type, std::size_t index) const;
  const PortRows& of_domain(std::int32_t type, DomainId domain) const { return ports_[type][domain - kPartialRows]; }

 private:
  std::int32_t number_of(std::int32_t type, const IndexRequest& request);

  std::vector<std::vector<PortRows>> ports_;         // [types] ports; first those of partial domains, in their order
  std::vector<std::vector<std::int32_t>> of_lists_;  // [types][indices] number in ports_[type], or -1
  DistinctRows distinct_;
};

}  // namespace cavs::inline v0_1

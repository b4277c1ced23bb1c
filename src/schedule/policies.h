#pragma once

#include "schedule/policy.h"

namespace cavs::inline v0_1 {

// Declares the function that makes each policy; the policy's file defines it.
#define CAVS_POLICY(name, make, doc) std::unique_ptr<Policy> make();
#define CAVS_LEARNED_POLICY(name, doc)
#include "schedule/policy_list.inc"
#undef CAVS_LEARNED_POLICY
#undef CAVS_POLICY

/// Returns the type with the greatest value(type) of those with ready vertices; the first of equal ones.
template <typename Value>
std::int32_t ready_type_of_most(const Frontier& frontier, Value value) {
  std::int32_t best = -1;
  double max = 0;
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(frontier.types.size()); ++t) {
    if (frontier.types[t].ready == 0) continue;
    const double here = value(frontier.types[t]);
    if (best < 0 || here > max) {
      best = t;
      max = here;
    }
  }
  return best;
}

/// Returns the ready fraction of a type's own frontier, the untaken vertices without an untaken child of the same type
/// (ED-Batch, Lemma 2.1). If it is 1, some shortest schedule begins with the type.
inline double ready_ratio(const Frontier::Type& type) { return static_cast<double>(type.ready) / type.own_ready; }

/// Returns the type with the greatest ready_ratio() of those with ready vertices.
inline std::int32_t type_of_best_ratio(const Frontier& frontier) { return ready_type_of_most(frontier, ready_ratio); }

}  // namespace cavs::inline v0_1

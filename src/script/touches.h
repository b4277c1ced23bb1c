#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "script/accesses.h"
#include "script/hazards.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// Resources that an instruction touches, the same for all minibatches but for tensors that a plan makes views.
struct Touch {
  std::int32_t begin = 0, end = 0;  // resources
  bool writes = false;
  bool of_states = false;         // see Hazards::Use
  bool own_rows = false;          // see Hazards::Use
  std::int32_t gathers = -1;      // a tensor that may be a view of this state's gradients, which are then touched
  std::int32_t skipped_for = -1;  // what fills a tensor that may be such a view, and then does nothing
  std::int32_t owner_of_columns = Hazards::kUnknown;  // where the entry is shared by columns
  bool operator==(const Touch&) const = default;
};

/// Numbers for what the instructions of a program touch.
class Touches {
 public:
  /// @param processors  whose numbers are owners themselves
  Touches(const Program& program, std::int32_t processors);

  std::int32_t resources() const { return resources_; }
  /// Of a parameter its gradient, squares or values; or the loss.
  std::int32_t of(Buffer buffer, std::int32_t parameter) const;
  /// Of members of an instruction, each once. @param columns  Script::parts by which it is shared, if by columns
  std::vector<Touch> of(std::int32_t type, Stage stage, std::span<const MemberAccesses> members, std::int32_t columns);
  /// Lets one stand for all tensors, or states, that the same instructions touch alike, which are in one another's way
  /// in the same entries: what is left of lists that stand for a program's instructions. Cost: linear in their length.
  void merge(std::span<std::vector<Touch>* const> lists) const;
  /// What an entry that runs such an instruction touches where these states' gradients are views of their only
  /// parents'.
  /// @param one_parent  Plan
  std::vector<Hazards::Use> uses(const std::vector<Touch>& touches, const std::vector<char>& one_parent) const;

 private:
  Touch touch_of(std::int32_t type, Stage stage, const Access& access) const;
  void touch_sites(std::int32_t state, Touch& touch) const;
  std::int32_t owner(const Ownership& ownership);

  const Program& program_;
  const std::int32_t processors_;
  std::vector<std::int32_t> first_tensor_, first_site_;  // resources: [types], [states + 1]
  std::int32_t first_of_parameters_ = 0, resources_ = 0;
  std::vector<Ownership> owners_;
};

}  // namespace cavs::inline v0_1

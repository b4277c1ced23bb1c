#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "script/accesses.h"
#include "script/hazards.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// An access of an instruction to resources. Only accesses to tensors that a plan makes views depend on the minibatch.
struct ResourceAccess {
  std::int32_t begin = 0, end = 0;  // range of resources
  bool writes = false;
  bool of_states = false;         // see Hazards::Use
  bool own_rows = false;          // see Hazards::Use
  std::int32_t gathers = -1;      // state whose gradients this tensor may be a view of; then these are accessed instead
  std::int32_t skipped_for = -1;  // state for which the instruction that fills such a view is skipped
  std::int32_t owner_of_columns = Hazards::kUnknown;  // if the entry is shared by columns
  bool operator==(const ResourceAccess&) const = default;
};

/// Numbers the resources that the instructions of a program access.
class ResourceTable {
 public:
  /// @param processors  number of processors; their numbers serve as owners
  ResourceTable(const Program& program, std::int32_t processors);

  std::int32_t resources() const { return resources_; }
  /// The number of a parameter's gradient, squares or values, or of the loss.
  std::int32_t of(Buffer buffer, std::int32_t parameter) const;
  /// Accesses of members of an instruction, each once. @param columns  begin in Script::parts if shared by columns
  std::vector<ResourceAccess> of(std::int32_t type, Stage stage, std::span<const MemberAccesses> members,
                                 std::int32_t columns);
  /// Merges tensors or states that the same instructions access in the same way, keeping one of each class. They have
  /// the same conflicts. `lists` are the accesses of all instructions of a program. Cost: linear in their length.
  void merge(std::span<std::vector<ResourceAccess>* const> lists) const;
  /// The resources that an entry of such an instruction uses, given the states whose gradients are views of those of
  /// their only parents.
  /// @param one_parent  Plan::one_parent
  std::vector<Hazards::Use> uses(const std::vector<ResourceAccess>& resource_accesses,
                                 const std::vector<char>& one_parent) const;

 private:
  ResourceAccess access_of(std::int32_t type, Stage stage, const Access& access) const;
  void access_sites(std::int32_t state, ResourceAccess& use) const;
  std::int32_t owner(const Ownership& ownership);

  const Program& program_;
  const std::int32_t processors_;
  std::vector<std::int32_t> first_tensor_, first_site_;  // first resource by [types], [states + 1]
  std::int32_t first_of_parameters_ = 0, resources_ = 0;
  std::vector<Ownership> owners_;
};

}  // namespace cavs::inline v0_1

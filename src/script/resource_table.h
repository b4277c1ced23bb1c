#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "script/accesses.h"
#include "script/hazards.h"
#include "script/script.h"

namespace cavs::inline v0_1 {

/// An access of an instruction to resources. It is the same for all minibatches, unless the plan makes a tensor a view.
struct ResourceAccess {
  std::int32_t begin = 0, end = 0;  // range of numbers of resources
  bool writes = false;
  bool of_states = false;         // see Hazards::Use
  bool own_rows = false;          // see Hazards::Use
  std::int32_t gathers = -1;      // state whose gradients the tensor gathers; accessed if the tensor is a view
  std::int32_t skipped_for = -1;  // state; no access if its gradients are a view, since the instruction is skipped
  std::int32_t owner_of_columns = Hazards::kUnknown;  // owner if the entry is shared by columns
  bool operator==(const ResourceAccess&) const = default;
};

/// Assigns numbers to the resources that the instructions of a program access (see Hazards).
class ResourceTable {
 public:
  /// @param processors  number of processors; owners below it are single processors (Hazards::kUnknown)
  ResourceTable(const Program& program, std::int32_t processors);

  std::int32_t resources() const { return resources_; }
  /// Returns the resource of a parameter's gradient, squares or values (`buffer`), or of the loss.
  std::int32_t of(Buffer buffer, std::int32_t parameter) const;
  /// Returns the different accesses of an instruction's members. @param columns  position of the instruction's parts in
  /// Script::parts if it is shared by columns
  std::vector<ResourceAccess> of(std::int32_t type, Stage stage, std::span<const MemberAccesses> members,
                                 std::int32_t columns);
  /// Removes accesses that cause no further waits: if all instructions access some tensors or states in the same way,
  /// only the accesses to one of them are kept. `lists` are the accesses of all instructions. Cost: linear in their
  /// length.
  void merge(std::span<std::vector<ResourceAccess>* const> lists) const;
  /// Returns the resources that an entry uses.
  /// @param resource_accesses  accesses of the entry's instruction
  /// @param one_parent  Plan::one_parent, the states whose gathered gradients are views
  std::vector<Hazards::Use> uses(const std::vector<ResourceAccess>& resource_accesses,
                                 const std::vector<char>& one_parent) const;

 private:
  ResourceAccess access_of(std::int32_t type, Stage stage, const Access& access) const;
  void access_sites(std::int32_t state, ResourceAccess& use) const;
  std::int32_t owner(const Ownership& ownership);

  const Program& program_;
  const std::int32_t processors_;
  std::vector<std::int32_t> first_tensor_, first_site_;   // [types] of its tensors; [states + 1] of its sites
  std::int32_t first_of_parameters_ = 0, resources_ = 0;  // first resource of the parameters; number of resources
  std::vector<Ownership> owners_;                         // owner processors_ + k is the k-th Ownership
};

}  // namespace cavs::inline v0_1

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "script/script.h"

namespace cavs::inline v0_1 {

/// The processors that own the columns of a resource.
struct Ownership {
  std::int32_t parts = 0;  // position in Script::parts of the parts of an entry that is shared by columns
  std::int32_t gate = 0, first_unit = 0, shift = 0;
  bool operator==(const Ownership&) const = default;
};

/// Finds the entries that an entry must wait for, because it reads what they write, writes what they read, or writes
/// what they write. A resource is a tensor, a state, the gradients that one site (a gather in the code) scatters, or
/// the values, the gradient or the squares of a parameter. No two resources share memory.
class Hazards {
 public:
  /// Owner of the accessed elements. A number below `processors` is the processor that accesses all of them; a larger
  /// number identifies an Ownership, by which every processor accesses its own columns. Entries with the same owner
  /// access the same elements of a row on the same processor, so they need not wait for each other.
  static constexpr std::int32_t kUnknown = -1;

  struct Use {
    std::int32_t resource = 0;
    bool writes = false;
    bool own_rows = false;          // accesses only rows of its own task
    bool of_states = false;         // the resource is a state or its gradients; see begin_section
    std::int32_t owner = kUnknown;  // an Ownership, used if the entry is shared by columns
  };

  void begin(std::int32_t resources, std::int32_t processors);
  /// Starts a section: entries that run on one processor each, and whose accesses to states do not conflict.
  void begin_section(std::int32_t entry) { section_ = entry; }

  /// Records a rendezvous: from now on all processors have seen the end of all entries up to this one.
  void meet(std::int32_t entry) { std::fill(known_.begin(), known_.end(), entry); }

  /// Adds an entry that one processor or all processors run. Appends the waits for entries that its processors do not
  /// know to be done, and records its accesses.
  /// @param side_by_side  true if the plan guarantees that the entry's accesses to states conflict with no entry of the
  /// section on another processor
  void add(const ScriptEntry& entry, std::int32_t number, bool side_by_side, std::span<const Use> uses,
           std::vector<Wait>& waits);

 private:
  struct Mark {
    std::int32_t owner;
    std::int32_t own_rows_of;  // task of the last access if that accessed only the task's own rows; else -1
    std::int32_t entry;        // the last access
    std::int32_t earlier;      // the last access before the section that contains `entry`; -1 if none
  };
  struct Resource {
    std::vector<Mark> reads, writes;
  };

  std::int32_t owner_of(const Use& use) const;
  std::int32_t rows_of(const Use& use) const { return use.own_rows ? step_ : -1; }
  void need(const std::vector<Mark>& marks, const Use& use);
  void append_waits(std::vector<Wait>& waits);
  void mark(std::vector<Mark>& marks, const Use& use, std::int32_t entry) const;

  std::vector<Resource> resources_;
  std::vector<std::int32_t> touched_;  // resources with marks
  std::vector<std::int32_t> need_;     // [processors] last entry of the processor to wait for; -1 if none
  std::vector<std::int32_t>
      known_;  // [processors] the processor knows that all entries up to this one are done, on every processor
  std::int32_t need_all_ = -1, section_ = 0, processors_ = 0;
  std::int32_t processor_ = -1, step_ = -1;  // of the current entry
  bool by_columns_ = false, side_by_side_ = false;
  bool needs_one_ = false;  // true if an element of need_ is set
};

}  // namespace cavs::inline v0_1

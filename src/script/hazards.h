#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "script/script.h"

namespace cavs::inline v0_1 {

/// Assigns the columns of an operand to processors.
struct Ownership {
  std::int32_t parts = 0;  // position in Script::parts of the parts of the entry, which is shared by columns
  std::int32_t gate = 0, first_unit = 0, shift = 0;  // see ScriptOperand; shift: the operand's first column in its gate
  bool operator==(const Ownership&) const = default;
};

/// Finds the entries that an entry must wait for, because it reads what they write, writes what they read, or writes
/// what they write. A resource is a tensor, a state, the gradients that one site (a gather in the code) scatters, or
/// the values, the gradient or the squares of a parameter. No two resources share memory.
class Hazards {
 public:
  /// The owner of an access: kUnknown, a processor that accesses all elements, or a larger number that identifies an
  /// Ownership, by which every processor accesses its own columns. Entries with the same owner access each element of a
  /// row on the same processor, so they need not wait for each other.
  static constexpr std::int32_t kUnknown = -1;

  struct Use {
    std::int32_t resource = 0;  // number of the resource
    bool writes = false;
    bool own_rows = false;          // true if the entry accesses only the rows of its own task
    bool of_states = false;         // true if the resource is a state or its gradients; see begin_section()
    std::int32_t owner = kUnknown;  // an Ownership; used only if the entry is shared by columns
  };

  void begin(std::int32_t resources, std::int32_t processors);
  /// Starts a section with this entry. Entries of a section run on one processor each, and do not conflict in states.
  void begin_section(std::int32_t entry) { section_ = entry; }

  /// Records a rendezvous, after which every processor knows that all entries up to this number are done.
  void meet(std::int32_t entry) { std::fill(known_.begin(), known_.end(), entry); }

  /// Adds an entry that one processor or all processors run. Appends the waits for entries that its processors do not
  /// know to be done, and records its accesses.
  /// @param side_by_side  true if the plan guarantees that the entry's accesses to states conflict with no entry of the
  /// section on another processor
  void add(const ScriptEntry& entry, std::int32_t number, bool side_by_side, std::span<const Use> uses,
           std::vector<Wait>& waits);

 private:
  struct Mark {
    std::int32_t owner;        // owner of the accesses
    std::int32_t own_rows_of;  // step of the last access, a task, if it was only to the task's own rows; else -1
    std::int32_t entry;        // the last access
    std::int32_t earlier;      // entry of the last access before the section that contains `entry`; -1 if none
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
  std::vector<std::int32_t> touched_;  // numbers of the resources that have marks
  std::vector<std::int32_t> need_;     // [processors] the processor's last entry to wait for; -1 if none
  std::vector<std::int32_t> known_;    // [processors] entry up to which the processor knows all entries to be done
  std::int32_t need_all_ = -1, section_ = 0, processors_ = 0;
  std::int32_t processor_ = -1, step_ = -1;  // of the current entry; processor_ is -1 if all processors run the entry
  bool by_columns_ = false, side_by_side_ = false;
  bool needs_one_ = false;  // true if an element of need_ is set
};

}  // namespace cavs::inline v0_1

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "script/script.h"

namespace cavs::inline v0_1 {

/// The processors that own the columns of a resource.
struct Ownership {
  std::int32_t parts = 0;  // begin in Script::parts of an entry shared by columns
  std::int32_t gate = 0, first_unit = 0, shift = 0;
  bool operator==(const Ownership&) const = default;
};

/// Finds the entries that an entry must wait for: read after write, write after read, write after write. A resource is
/// a tensor, a state, the gradients that one site scatters, or the values, the gradient or the squares of a parameter.
/// No two resources share memory.
class Hazards {
 public:
  /// Owner of the accessed elements: one processor (by its number), or every processor for its own columns (a number >=
  /// `processors` that identifies an Ownership). Entries with the same owner access the same elements of a row on the
  /// same processor, so they need not wait for each other.
  static constexpr std::int32_t kUnknown = -1;

  struct Use {
    std::int32_t resource = 0;
    bool writes = false;
    bool own_rows = false;          // accesses only rows of its own task
    bool of_states = false;         // see begin_section
    std::int32_t owner = kUnknown;  // if the entry is shared by columns
  };

  void begin(std::int32_t resources, std::int32_t processors);
  /// Starts a section: entries that run on one processor each, and do not conflict in states with each other.
  void begin_section(std::int32_t entry) { section_ = entry; }

  /// All processors know that everything up to this entry is done.
  void meet(std::int32_t entry) { std::fill(known_.begin(), known_.end(), entry); }

  /// Adds an entry of one processor or of all: appends the waits that it needs beyond what is known to be done, and
  /// marks its uses.
  /// @param side_by_side  the plan guarantees that the entry conflicts in states with no entry of the section on
  /// another processor
  void add(const ScriptEntry& entry, std::int32_t number, bool side_by_side, std::span<const Use> uses,
           std::vector<Wait>& waits);

 private:
  struct Mark {
    std::int32_t owner;
    std::int32_t own_rows_of;  // task of the last access; -1 for any rows
    std::int32_t entry;        // of the last access
    std::int32_t earlier;      // the last access before the section of `entry`; -1 if none
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
  std::vector<std::int32_t> need_;     // [processors] entry; -1 if none
  std::vector<std::int32_t>
      known_;  // [processors] the last entry up to which all are known to be done by every processor
  std::int32_t need_all_ = -1, section_ = 0, processors_ = 0;
  std::int32_t processor_ = -1, step_ = -1;  // of the current entry
  bool by_columns_ = false, side_by_side_ = false;
  bool needs_one_ = false;  // true if any of need_ is set
};

}  // namespace cavs::inline v0_1

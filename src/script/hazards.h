#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "script/script.h"

namespace cavs::inline v0_1 {

/// Which processor touches which columns of a resource.
struct Ownership {
  std::int32_t parts = 0;  // Script::parts of an entry shared by columns
  std::int32_t gate = 0, first_unit = 0, shift = 0;
  bool operator==(const Ownership&) const = default;
};

/// What an entry must wait for: read after write, write after read, write after write. A resource is a tensor, a state,
/// the gradients that one site scatters, or of a parameter its values, its gradient or the squares of that; none shares
/// memory with another.
class Hazards {
 public:
  /// Who touches it: a processor by its number, or all of them, each its own columns, by a number from `processors` on
  /// that stands for an Ownership. With the same number, two entries touch the same elements of a row on the same
  /// processor, so that neither waits for the other.
  static constexpr std::int32_t kUnknown = -1;

  struct Use {
    std::int32_t resource = 0;
    bool writes = false;
    bool own_rows = false;          // a task: what it touches are its own rows, no other task's
    bool of_states = false;         // see begin_section
    std::int32_t owner = kUnknown;  // where the entry is shared by columns
  };

  void begin(std::int32_t resources, std::int32_t processors);
  /// No entry before this one touches what entries of another single processor touch in states.
  void begin_section(std::int32_t entry) { section_ = entry; }

  /// All know that everything up to this entry is done.
  void meet(std::int32_t entry) { std::fill(known_.begin(), known_.end(), entry); }

  /// Adds an entry that all take part in, or one processor: appends what it waits for, as far as that is not known to
  /// be done, and marks its uses.
  /// @param side_by_side  the plan has made sure that no single processor's entry of the section is in the way in
  /// states
  void add(const ScriptEntry& entry, std::int32_t number, bool side_by_side, std::span<const Use> uses,
           std::vector<Wait>& waits);

 private:
  struct Mark {
    std::int32_t owner;
    std::int32_t own_rows_of;  // the last
    std::int32_t entry;        // the last
    std::int32_t earlier;      // the last before the section that `entry` is in; -1: none
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
  std::vector<std::int32_t> touched_;  // resources that have marks
  std::vector<std::int32_t> need_;     // [processors] entry, -1
  std::vector<std::int32_t> known_;    // [processors] all entries up to here are known to be done by all
  std::int32_t need_all_ = -1, section_ = 0, processors_ = 0;
  std::int32_t processor_ = -1, step_ = -1;  // of the entry at hand
  bool by_columns_ = false, side_by_side_ = false;
  bool needs_one_ = false;  // any of need_
};

}  // namespace cavs::inline v0_1

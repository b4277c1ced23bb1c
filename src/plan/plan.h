#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "support/split_range.h"
#include "support/uninitialised.h"

namespace cavs::inline v0_1 {

/// A list: entries [begin, begin + count) of Plan::rows.
struct Slice {
  std::int32_t begin = 0, count = 0;
  bool operator==(const Slice&) const = default;
};

/// Result of Plan::shift() if the entries of a list are not consecutive numbers.
inline constexpr std::int32_t kNoRun = INT32_MIN;

/// A step runs one code (the instructions of a type, direction and stage) over a range of rows of every domain.
struct Step {
  std::int32_t type = 0;
  bool backward = false;
  Stage stage = Stage::kEager;
  Slice ranges = {};       // in Plan::rows: begin and end in each domain, then what shift() returns per index list
  double flops = 0;        // number of floating-point operations
  std::int32_t task = -1;  // number of the task in the schedule, or -1
  bool operator==(const Step&) const = default;
};

/// The table rows to whose gradients a lookup gradient adds, and for table row k of the list the added rows of the
/// operand: entries [offsets[k], offsets[k + 1]) of `rows`. See `run_lookup_gradient`.
struct LookupList {
  Slice table_rows, offsets, rows;
  bool operator==(const LookupList&) const = default;
};

/// Describes how one minibatch runs: the rows of each step, the offset of every tensor in the arena, and all lists of
/// rows. It has no addresses, so it can be copied, saved, compared and sent to a device.
struct Plan {
  struct Type {
    std::int32_t vertices = 0, edges = 0;  // number of each; no edges if the type does not use them
    std::int32_t max_edges = 0;            // largest number of edges of a vertex
    std::vector<std::int32_t> partial;     // [partial domains] number of rows
    std::vector<Slice> before;             // [partial domains] entry r: number of rows that vertices before r have
    std::vector<Slice> equal;              // [partial domains] distinct: where the vertices of each row begin
    std::vector<std::int64_t> tensors;     // [tensors] offset in the arena, in floats
    std::vector<Slice> indices;            // [indices] the lists of TypeProgram::indices
    Slice segments;                     // vertex r has the edges [segments[r], segments[r + 1]), if the type uses edges
    std::vector<Slice> gather_offsets;  // [states] entry r: where the entries of vertex r begin in gather_rows
    std::vector<Slice> gather_rows;     // [states] rows of the state's gradient that parents scattered, or -1
    std::vector<LookupList> lookups;    // [indices] empty unless a lookup gradient uses the list
    Slice samples, vertices_in_sample;  // per vertex: keys of its random numbers
    Slice edge_samples, slots_in_sample;  // per edge: keys of its random numbers

    std::int32_t domains() const { return kPartialRows + static_cast<std::int32_t>(partial.size()); }
    std::int32_t row_count(DomainId domain) const {
      if (domain >= kPartialRows) return partial[domain - kPartialRows];
      return domain == kEdgeRows ? edges : domain == kVertexRows ? vertices : 1;
    }
    bool operator==(const Type&) const = default;
  };
  UninitialisedVector<std::int32_t> rows;  // the entries of all lists, which Slices refer to
  std::vector<Type> types;
  std::vector<Step> steps;
  std::vector<char> one_parent;  // [states] true if no vertex gets gradients from two parents
  static constexpr std::int64_t kKept = -1;
  std::vector<std::int64_t> states;  // [states] offset of the first row, or kKept if the caller keeps the state
  std::vector<Slice> state_rows;     // [states] rows in the arena (first to last type that scatters it)
  std::vector<std::int64_t> state_gradients;     // [states] offset of the gradient's first row
  std::vector<std::vector<std::int64_t>> sites;  // [states][sites] first gradient row of the site
  std::vector<std::int32_t> type_begin;          // [types + 1] first row of the type in the states
  std::vector<Slice> touched;                    // [parameters] table rows with a gradient, each once
  std::int32_t samples = 0;
  std::int64_t arena = 0;  // size of the arena, in floats

  /// True if the tensor has no memory, because its readers read the rows that each vertex's only parent scattered.
  bool is_view(const Tensor& tensor) const { return tensor.gathers >= 0 && one_parent[tensor.gathers] != 0; }

  /// Returns the rows of a domain that the step runs over.
  RowRange range(const Step& step, DomainId domain) const {
    const std::int32_t* begin_and_end = rows.data() + step.ranges.begin + 2 * domain;
    return {begin_and_end[0], begin_and_end[1]};
  }

  /// If the entries of an index list that a step reads are consecutive, so that the rows can be read in place: returns
  /// the difference between an entry and its position in the list. Otherwise returns kNoRun.
  std::int32_t shift(const Step& step, std::int32_t index) const {
    return rows[step.ranges.begin + 2 * types[step.type].domains() + index];
  }

  std::int64_t bytes() const {
    return arena * static_cast<std::int64_t>(sizeof(float)) +
           static_cast<std::int64_t>(rows.size() * sizeof(std::int32_t));
  }
  bool operator==(const Plan&) const = default;
};

}  // namespace cavs::inline v0_1

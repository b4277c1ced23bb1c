#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "support/split_range.h"
#include "support/uninitialised.h"

namespace cavs::inline v0_1 {

/// A part of one of a plan's two buffers.
struct Slice {
  std::int32_t begin = 0, count = 0;
  bool operator==(const Slice&) const = default;
};

/// Of a list whose rows do not follow each other.
inline constexpr std::int32_t kNoRun = INT32_MIN;

/// Rows of every domain of a type that a step runs over: domain d has [begin[d], end[d]).
struct Step {
  std::int32_t type = 0;
  bool backward = false;
  Stage stage = Stage::kEager;
  Slice ranges = {};       // in Plan::rows: begin and end of each domain, then Plan::shift for each index list
  double flops = 0;        // floating-point operations
  std::int32_t task = -1;  // of the schedule, where it is one
  bool operator==(const Step&) const = default;
};

/// Table rows that a lookup gradient adds to, grouped: see `run_lookup_gradient`.
struct LookupList {
  Slice table_rows, offsets, rows;
  bool operator==(const LookupList&) const = default;
};

/// How one minibatch runs: which rows each step takes, where every tensor lies in the arena, and every list of rows.
/// Two flat buffers and small tables of slices, no addresses: it can be copied, saved, compared, and sent to a device.
struct Plan {
  struct Type {
    std::int32_t vertices = 0, edges = 0;  // 0 edges where no rows are theirs
    std::int32_t max_edges = 0;            // of one vertex
    std::vector<std::int32_t> partial;     // rows of each partial domain
    std::vector<Slice> before;             // [partial domains] their rows before vertex r
    std::vector<Slice> equal;              // of distinct domains: where each row's vertices begin; see kPartialVertex
    std::vector<std::int64_t> tensors;     // offset in the arena, in floats
    std::vector<Slice> indices;            // TypeProgram::indices
    Slice segments;                        // edges of vertex r: [segments[r], segments[r + 1]); where edges are used
    std::vector<Slice> gather_offsets;     // [states] parents' rows of vertex r
    std::vector<Slice> gather_rows;        // [states] rows in the state's gradient, -1 none
    std::vector<LookupList> lookups;       // [indices], filled where a lookup gradient uses them
    Slice samples, vertices_in_sample;     // identity of each row, for random numbers
    Slice edge_samples, slots_in_sample;   // the same of each edge

    std::int32_t domains() const { return kPartialRows + static_cast<std::int32_t>(partial.size()); }
    std::int32_t row_count(DomainId domain) const {
      if (domain >= kPartialRows) return partial[domain - kPartialRows];
      return domain == kEdgeRows ? edges : domain == kVertexRows ? vertices : 1;
    }
    bool operator==(const Type&) const = default;
  };
  UninitialisedVector<std::int32_t> rows;  // all lists
  std::vector<Type> types;
  std::vector<Step> steps;
  std::vector<char> one_parent;  // [states] no vertex gets gradients from two parents
  static constexpr std::int64_t kKept = -1;
  std::vector<std::int64_t> states;              // offset of the first row that each state has; kKept: the caller's
  std::vector<Slice> state_rows;                 // [states] rows that it has: of types from the first that scatters it
                                                 // to the last
  std::vector<std::int64_t> state_gradients;     // offset of each state's gradient rows
  std::vector<std::vector<std::int64_t>> sites;  // [states][site] first row of the site
  std::vector<std::int32_t> type_begin;          // row in the states
  std::vector<Slice> touched;                    // [parameters] table rows that get a gradient, each once
  std::int32_t samples = 0;
  std::int64_t arena = 0;  // floats

  /// Whether the tensor has no memory: who reads it takes the only parent's rows.
  bool is_view(const Tensor& tensor) const { return tensor.gathers >= 0 && one_parent[tensor.gathers] != 0; }

  /// Rows of a domain that the step runs over.
  RowRange range(const Step& step, DomainId domain) const {
    const std::int32_t* begin_and_end = rows.data() + step.ranges.begin + 2 * domain;
    return {begin_and_end[0], begin_and_end[1]};
  }

  /// Where the rows of an index list follow each other in a step, what is added to a row to get the listed one: it is
  /// read in place. Else kNoRun.
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

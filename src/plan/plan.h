#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cavs/session_options.h"
#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/side_by_side.h"
#include "schedule/schedule.h"
#include "support/uninitialised.h"

namespace cavs {

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
  Slice ranges = {};            // in Plan::rows: begin and end of each domain, then Plan::shift for each index list
  double flops = 0;             // floating-point operations
  std::int32_t task = -1;       // of the schedule, where it is one
  std::int32_t worker = kTeam;  // who runs it: the team shares it, or this worker alone
  bool waits = false;           // for all workers, also where it and the step before it are one worker's each
  static constexpr std::int32_t kTeam = -1;

  bool one_worker() const { return worker != kTeam; }
  bool operator==(const Step&) const = default;
};

/// Whether one worker takes no longer than the team waits for each other when it shares the step.
bool is_small(const CodeCost& cost, double flops, double factor = 1);

/// Vertices of a lazy step of F on which one worker can run the step's leading instructions (CodeCost::by_rows) as soon
/// as some steps of the plan are done: streaming, section 3.4 of the Cavs paper.
struct Chunk {
  Step step;               // of the chunk's rows
  std::int32_t after = 0;  // steps that must be done; kNever: too late to be streamed
  static constexpr std::int32_t kNever = INT32_MAX;
  bool operator==(const Chunk&) const = default;
};

/// Table rows that a lookup gradient adds to, grouped: see `Executor::run_lookup_gradient`.
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
    std::vector<Slice> equal;              // of distinct domains: where each row's vertices begin; see kPartialVertex
    std::vector<std::int64_t> tensors;     // offset in the arena, in floats
    std::vector<Slice> indices;            // TypeProgram::indices
    Slice segments;                        // edges of vertex r: [segments[r], segments[r + 1]); where edges are used
    std::vector<Slice> gather_offsets;     // [states] parents' rows of vertex r
    std::vector<Slice> gather_rows;        // [states] rows in the state's gradient, -1 none
    std::vector<LookupList> lookups;       // [indices], filled where a lookup gradient uses them
    Slice samples, vertices_in_sample;     // identity of each row, for random numbers
    bool operator==(const Type&) const = default;
  };
  UninitialisedVector<std::int32_t> rows;  // all lists
  std::vector<Type> types;
  std::vector<Step> steps;
  std::vector<Chunk> chunks;                     // by `after`; those of a type follow each other
  std::vector<char> one_parent;                  // [states] no vertex is given gradients by two parents
  std::vector<std::int64_t> states;              // offset of the first row that each state has
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

  /// Where the rows of an index list follow each other in a step, what is added to a row to get the listed one: it is
  /// read in place. Else kNoRun.
  std::int32_t shift(const Step& step, std::int32_t index) const {
    const auto domains = kPartialRows + static_cast<std::int32_t>(types[step.type].partial.size());
    return rows[step.ranges.begin + 2 * domains + index];
  }

  std::int64_t bytes() const {
    return arena * static_cast<std::int64_t>(sizeof(float)) +
           static_cast<std::int64_t>(rows.size() * sizeof(std::int32_t));
  }
  bool operator==(const Plan&) const = default;
};

/// Makes plans; keeps its work arrays from one minibatch to the next. One thread at a time.
class Planner {
 public:
  /// @param workers  of the team that runs the plans
  explicit Planner(const Program& program, Streaming streaming = Streaming::kOff, int workers = 1);

  /// Cost: linear in vertices + edges. Allocates nothing once grown to the largest minibatch.
  void make(const Minibatch& minibatch, const Schedule& schedule, Plan& plan);

 private:
  /// An index port of a type.
  struct Port {
    std::string name;
    bool distinct = false;
    std::int32_t numbers = 0;  // of distinct domains: all are below
    Slice values = {};         // by vertex row
    Slice before = {};         // of partial domains: their rows before vertex row r
    std::int32_t present = 0;  // rows that have a value
    Slice row_of = {};         // of distinct domains: by vertex row, its row, -1; numbers by row; vertices, row by row
    Slice number_of = {}, vertices = {};
  };

  std::int32_t port_number(std::int32_t type, const IndexRequest& request);
  void plan_sources();
  void plan_type(std::int32_t type);
  void plan_segments(std::int32_t type);
  void plan_ports(std::int32_t type);
  void plan_random();
  Slice plan_index(std::int32_t type, const IndexRequest& request, const Port& port);
  Slice plan_gather(std::int32_t type, std::int32_t child);
  Slice plan_children(std::int32_t type);
  Slice plan_pull_rows(std::int32_t type, const std::string& port);
  template <typename F>
  Slice list_present(std::int32_t type, const Port& port, F value);
  Slice plan_partial_rows(std::int32_t type, const Port& port);
  void plan_distinct(std::int32_t type, Port& port);
  Slice group_equal(std::int32_t type, Port& port);
  Slice edge_vertices(std::int32_t type);
  Slice spread_to_edges(std::int32_t type, Slice by_vertex);
  void plan_gathers();
  bool share_state_gradient(std::int32_t state);
  bool plan_one_parent(std::int32_t state);
  void plan_state_gradient(std::int32_t state);
  void plan_lookups();
  void plan_lookup(std::int32_t type, const LookupGradient& lookup);
  void find_lookups(std::int32_t type, const IndexRequest& request, std::vector<std::int32_t>& group_of);
  const LookupList* only_list_of(std::int32_t table) const;
  void plan_touched();
  void plan_steps();
  void add_step(Step step, std::int32_t begin, std::int32_t end);
  Slice plan_ranges(std::int32_t type, Stage stage, std::int32_t begin, std::int32_t end);
  double flops(const CodeCost& cost, Slice ranges) const;
  void plan_chunks();
  bool is_worth_streaming() const;
  bool streams(const Step& step) const;
  void cut_chunks(std::int32_t step);
  Slice rows_of(const Step& step, DomainId domain) const;
  void plan_memory();
  Slice new_slice(std::int64_t count);
  Slice identity(std::int32_t count);
  std::int32_t* at(Slice slice) { return plan_->rows.data() + slice.begin; }
  /// Packed vertices, and the data set's, by row of the type.
  const std::int32_t* vertices(std::int32_t type) const {
    return schedule_->vertex.data() + schedule_->type_begin[type];
  }
  const std::int64_t* sources(std::int32_t type) const { return source_.data() + schedule_->type_begin[type]; }
  std::int32_t domain_row(std::int32_t type, DomainId domain, std::int32_t row) const;

  const Program& program_;
  const Streaming streaming_;
  SideBySide side_by_side_;
  const Minibatch* minibatch_ = nullptr;
  const Schedule* schedule_ = nullptr;
  Plan* plan_ = nullptr;
  using Lists = std::vector<std::int32_t>;
  std::vector<std::array<Lists, 3>> lists_read_;                     // [types][stage]
  std::vector<char> uses_edges_;                                     // [types]
  std::vector<std::pair<std::int32_t, std::int32_t>> scattered_by_;  // [states] first type, one after the last
  std::vector<std::vector<Port>> ports_;                             // [types] partial domains first
  std::vector<std::vector<std::int32_t>> port_of_index_;             // [types][indices] into ports_
  std::vector<Slice> task_ranges_;
  std::vector<std::int64_t> source_;               // by row: vertex of the data set
  Slice edge_vertices_;                            // of the type at hand: by edge, its vertex; none yet
  Slice identity_;                                 // 0, 1, 2, ...
  std::vector<std::vector<std::int32_t>> stamps_;  // [parameters][table rows], zero between uses
  std::vector<std::int32_t> distinct_;             // by number: 1 + its row; zero between uses
  std::vector<std::int32_t> groups_, cursor_, largest_, chunk_begin_;
  std::vector<std::pair<std::int32_t, std::int32_t>> lookups_;  // group and row
};

/// What the plan needs, largest first, and what its workers need for tiles: for the message when it does not fit.
std::string describe_memory(const Program& program, const Plan& plan, std::int64_t tile_bytes);

}  // namespace cavs

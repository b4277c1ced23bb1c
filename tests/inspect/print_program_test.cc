#include "inspect/print_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/graph.h"
#include "cavs/model.h"
#include "pack/minibatch.h"
#include "plan/planner.h"
#include "schedule/policy.h"

namespace cavs {
namespace {

/// A cell without words: h = tanh(gather(0, h) * W + b).
Model pushing_cell() {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    auto y = tanh(v.gather(0, "h") * m.parameter("W", {2, 2}) + m.parameter("b", {2}));
    v.scatter("h", y);
    v.push("out", y);
  });
  return m;
}

/// The schedule and the plan of all graphs in a text.
struct Prepared {
  explicit Prepared(const std::string& graphs_text)
      : program(compile(pushing_cell(), {.training = false})),
        graphs(graphs_from_text(graphs_text)),
        bound(*program, graphs) {
    minibatch.clear(bound);
    for (std::int32_t s = 0; s < graphs.size(); ++s) minibatch.add(s);
    Scheduler scheduler;
    make_schedule(minibatch, *make_policy("frontier"), scheduler, schedule);
    Planner(*program).make(minibatch, schedule, plan);
  }
  std::shared_ptr<const Program> program;
  GraphSet graphs;
  BoundGraphs bound;
  Minibatch minibatch;
  Schedule schedule;
  Plan plan;
};

TEST(PrintProgram, ShowsInstructionsWithStorage) {
  EXPECT_EQ(instructions_to_text(*Prepared("0>1").program, 0),
            "code of 'cell'\n"
            "forward task:\n"
            "   0  row_group      vertex  tile 2 wide\n"
            "        matmul       vertex  tile(%2) <- state(h)@gather(0) * W\n"
            "        elementwise  vertex  state(h) <- tile(%2), b; tanh+add\n"
            "forward lazy:\n"
            "   0  elementwise  vertex  %7 <- state(h); expand\n");
}

TEST(PrintProgram, ShowsRowGroupsWithTheirMembers) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value f = v.children("h") * 0.5;
    v.scatter("h", softmax(sum(f) + m.parameter("b", {2})));
  });
  EXPECT_EQ(instructions_to_text(*compile(m, {.training = false}), 0),
            "code of 'cell'\n"
            "forward task:\n"
            "   0  row_group       vertex  tile 4 wide, 2 per edge\n"
            "        elementwise   edge    tile(%1) <- state(h)@children; multiply_scalar\n"
            "        sum_children  vertex  tile(%2) <- tile(%1)\n"
            "        elementwise   vertex  tile(%4) <- tile(%2), b; add\n"
            "        softmax       vertex  state(h) <- tile(%4)\n");
}

TEST(PrintProgram, CountsTasksBesideTheLowerBound) {
  const Prepared two("0>1 1>2 | 3>4");
  EXPECT_EQ(tasks_to_text(*two.program, two.schedule, lower_bound(two.minibatch)),
            "step  type  vertices  rows\n"
            "0     cell  2         0-1\n"
            "1     cell  2         2-3\n"
            "2     cell  1         4-4\n"
            "3 tasks, lower bound 3; 5 vertices, 1.7 per task\n");
}

TEST(PrintProgram, ShowsTheOffsetOfEveryTensor) {
  const Prepared two("0>1 1>2 | 3>4");
  EXPECT_EQ(memory_to_text(*two.program, two.plan),
            "tensor          rows    width  offset  bytes\n"
            "state 'h'       vertex  2      0       64\n"
            "'%7' of 'cell'  vertex  2      64      64\n"
            "arena 128 bytes, index lists 132 bytes\n");
}

}  // namespace
}  // namespace cavs

// Values that ∂F recomputes instead of reading, chosen by the bytes that this saves.

#include <gmock/gmock.h>

#include <functional>

#include "compile/program.h"

namespace cavs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kStateWidth = 8;

struct Cell {
  Model& m;
  Vertex& v;
  Value h;  // the state, before the scatter
  Parameter b = m.parameter("b", {kStateWidth});

  Value product(const Value& x, const char* name) { return x * m.parameter(name, {kStateWidth, kStateWidth}); }
};

/// A vertex function with state h. `head` reads h and makes the loss.
Model with_head(const std::function<void(Cell&)>& head) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value h = tanh(v.pull("x", kStateWidth) + v.gather(0, "h"));
    v.scatter("h", h);
    Cell cell{m, v, h};
    head(cell);
  });
  return m;
}

/// Operators that ∂F recomputes, in order.
std::vector<std::string> again(const Program& program) {
  std::vector<std::string> ops;
  for (const TypeProgram& type : program.types)
    for (const Node& node : type.function.nodes)
      if (node.recomputed >= 0) ops.emplace_back(node.op->name);
  return ops;
}

std::vector<std::string> again(const std::function<void(Cell&)>& head, const CompileOptions& options = {}) {
  return again(*compile(with_head(head), options));
}

std::vector<std::string> decisions(const Program& program) {
  std::vector<std::string> lines;
  for (const std::string& line : program.log)
    if (const auto at = line.find("recompute: %"); at != line.npos) lines.push_back(line.substr(at));
  return lines;
}

/// gelu's gradient reads the sum of a product, which is in memory anyway, and of a parameter, which is in the cache.
void gelu_of_sum(Cell& c) { c.v.loss(sum_features(gelu(c.product(c.h, "W") + c.b))); }

TEST(Recompute, AddsABiasAgainRatherThanStoringTheSum) {
  const auto program = compile(with_head(gelu_of_sum));
  EXPECT_THAT(again(*program), ElementsAre("add"));
  EXPECT_THAT(decisions(*program),
              Contains(testing::EndsWith("= add again: -4 bytes written, +0 read, +1 instructions: "
                                         "computed again")));
}

TEST(Recompute, TheValueOfFHasNoMemoryOutsideOfItsLoop) {
  const auto program = compile(with_head(gelu_of_sum));
  const auto stored = compile(with_head(gelu_of_sum), {.disabled_passes = {"recompute"}});
  EXPECT_EQ(program->types[0].tensors.size() + 1, stored->types[0].tensors.size());
}

TEST(Recompute, RecomputedNodesNameTheirOriginal) {
  const auto program = compile(with_head(gelu_of_sum));
  const Function& f = program->types[0].function;
  for (ValueId id = f.forward; id < static_cast<ValueId>(f.nodes.size()); ++id) {
    if (f.nodes[id].recomputed < 0) continue;
    const Node& original = f.nodes[f.nodes[id].recomputed];
    EXPECT_LT(f.nodes[id].recomputed, f.forward);
    EXPECT_EQ(f.nodes[id].op, original.op);
    EXPECT_EQ(f.nodes[id].in, original.in);
    EXPECT_EQ(f.nodes[id].domain, original.domain);
  }
}

TEST(Recompute, RecomputesCheapValuesThatMoveFewerBytes) {
  const struct {
    const char* name;
    void (*head)(Cell&);
    std::vector<std::string> again;
  } cases[]{
      {"a chain",
       [](Cell& c) { c.v.loss(sum_features(gelu(c.product(c.h, "W") * 0.5 + c.b))); },
       {"multiply_scalar", "add"}},
      {"no mask", [](Cell& c) { c.v.loss(sum_features(dropout(gelu(c.product(c.h, "W") + c.b), 0.5))); }, {"add"}},
      {"as many bytes: two products instead of their sum",
       [](Cell& c) { c.v.loss(sum_features(gelu(c.product(c.h, "W") + c.product(c.v.pull("y", kStateWidth), "U")))); },
       {}},
      {"an operand of a product",
       [](Cell& c) { c.v.loss(sum_features(c.product(relu(c.product(c.h, "W") + c.b), "U"))); },
       {}},
      {"a value of the vertex that is read for every edge",
       [](Cell& c) { c.v.loss(sum_features(sum((c.product(c.h, "W") + c.b) * c.v.children("h")))); },
       {}},
  };
  for (const auto& [name, head, expected] : cases) EXPECT_EQ(again(head), expected) << name;
}

TEST(Recompute, IsOffInInferenceAndWithoutItsPassOrLoops) {
  EXPECT_THAT(again(gelu_of_sum, {.training = false}), IsEmpty());
  EXPECT_THAT(again(gelu_of_sum, {.disabled_passes = {"recompute"}}), IsEmpty());
  EXPECT_THAT(again(gelu_of_sum, {.disabled_passes = {"fuse"}}), IsEmpty());
}

TEST(Recompute, RecomputesOncePerLoopThatReads) {
  const auto program = compile(with_head([](Cell& c) {  // a product of ∂F separates the two loops
    const Value x = c.product(c.h, "W") + c.b;
    c.v.loss(sum_features(x * tanh(c.product(square(x), "U"))));
  }));
  EXPECT_THAT(again(*program), ElementsAre("add", "add"));
  EXPECT_THAT(decisions(*program),
              Contains(testing::EndsWith("= add again: -4 bytes written, +0 read, +2 instructions: "
                                         "computed again")));
}

TEST(Recompute, StoresValuesThatCostMoreThanTheirBytes) {
  const auto program = compile(with_head([](Cell& c) {
    Value x = c.product(c.h, "W");
    for (int i = 0; i < 3; ++i) x = tanh(x + c.b);
    c.v.loss(sum_features(x));
  }));
  EXPECT_THAT(again(*program), Not(Contains("tanh")));
  EXPECT_THAT(decisions(*program), Contains(HasSubstr("= tanh again: ")));
}

TEST(Recompute, StoresPushedValues) {
  const auto head = [](Cell& c) {
    const Value x = c.product(c.h, "W") + c.b;
    c.v.push("x", x);
    c.v.loss(sum_features(gelu(x)));
  };
  EXPECT_THAT(again(head), IsEmpty());
  EXPECT_THAT(again(head, {.pushes = std::vector<std::string>{}}), ElementsAre("add"));
}

TEST(Recompute, KeepsProductsOfTasksInTheCache) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {  // storing the product would move as many bytes as storing the sum
    const Value x = v.gather(0, "h") * m.parameter("W", {kStateWidth, kStateWidth}) + m.parameter("b", {kStateWidth});
    const Value h = gelu(x);
    v.scatter("h", h);
    v.loss(sum_features(h));
  });
  EXPECT_THAT(again(*compile(m)), IsEmpty());
}

}  // namespace
}  // namespace cavs

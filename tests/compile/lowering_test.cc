// Compares the lowering of small functions with instructions and tensors that are written by hand.

#include <gmock/gmock.h>

#include "cavs/session.h"
#include "compile/program.h"
#include "helpers/models.h"
#include "inspect/print_program.h"
#include "ir/scalar_builder.h"

namespace cavs {
namespace {

/// h = tanh(gather(0, h) * W + b). Values: 0 the gather, 2 the product, 4 the sum, 5 tanh.
Model cell() {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value h = v.gather(0, "h");
    const Value product = h * m.parameter("W", {2, 2});
    v.scatter("h", tanh(product + m.parameter("b", {2})));
  });
  return m;
}

ScalarProgram tanh_of_sum() {
  ScalarBuilder builder;
  const Scalar x = builder.input(), y = builder.input();
  const Scalar outputs[] = {tanh(x + y)};
  return builder.finish(outputs);
}

/// Two instructions with a barrier between them: %2 = rows of the children's h * W, and h = tanh(%2 + b).
Code lowered_cell() {
  const Operand product{.kind = StorageKind::kTensor, .id = 0, .width = 2, .stride = 2};
  const Operand children{.kind = StorageKind::kState, .id = 0, .width = 2, .stride = 2, .index = 0};
  const Operand bias{.kind = StorageKind::kParameter, .id = 1, .width = 2};  // one row for all
  const Operand state{.kind = StorageKind::kState, .id = 0, .width = 2, .stride = 2};
  const Matmul by_w{.factors = {{.parameters = {0}, .outs = {0}, .add = {0}, .weight = 0}}, .gate = 2};
  const Instruction matmul{.kind = by_w, .in = {children}, .out = {product}, .values = {2}, .flops_per_row = 8};
  const Instruction loop{.kind = Elementwise{tanh_of_sum(), 0},
                         .level = 1,
                         .barrier = true,
                         .in = {product, bias},
                         .out = {state},
                         .values = {5, 4},
                         .flops_per_row = 8,  // two inputs, a sum, tanh
                         .free_columns = 2,
                         .widths = {2, 0}};
  return {matmul, loop};
}

void expect_code(const Program& program, const Code& expected) {
  const Code& found = program.types[0].at(false, Stage::kTask);
  ASSERT_EQ(found.size(), expected.size()) << instructions_to_text(program, 0);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(found[i] == expected[i]) << i << " of " << instructions_to_text(program, 0);
}

TEST(Lowering, AProductAndALoop) {
  const auto program = compile(cell(), {.training = false, .disabled_passes = {"fuse_rows"}});
  expect_code(*program, lowered_cell());
  const TypeProgram& type = program->types[0];
  EXPECT_TRUE(type.tensors == std::vector<Tensor>({{.name = "%2", .width = 2}}))
      << "the tensor has the rows of one task only";
  EXPECT_EQ(type.indices, std::vector<IndexRequest>({{.kind = IndexKind::kGather, .k = 0}}));
  EXPECT_EQ(program->weights, std::vector<Weight>({{.parameters = {0}, .transposed = false, .gate = 2}}));
  EXPECT_TRUE(type.cost_at(false, Stage::kTask) ==
              (CodeCost{.flops = {0, 16, 0}, .waits = 2, .needs_team = false, .by_rows = 2, .row_flops = 16}));
  for (const Stage stage : {Stage::kEager, Stage::kLazy}) EXPECT_TRUE(type.at(false, stage).empty());
}

TEST(Lowering, WithFusedRowsTheProductLeadsTheLoop) {
  const auto program = compile(cell(), {.training = false});
  const RowGroup members{
      .members = lowered_cell(), .tile_widths = {2, 0}, .product_units = 1};  // one slice of 16 columns, 2 of them used
  expect_code(*program, {{.kind = members, .free_columns = 2, .widths = {2, 0}}});
  const TypeProgram& type = program->types[0];
  EXPECT_TRUE(type.tensors == std::vector<Tensor>({{.name = "%2", .width = 2, .tile = 0}})) << "in the worker's tile";
  EXPECT_TRUE(type.cost_at(false, Stage::kTask) ==
              (CodeCost{.flops = {0, 16, 0}, .waits = 1, .needs_team = false, .by_rows = 1, .row_flops = 16}));
}

TEST(Lowering, APushedValueKeepsTheRowsOfAllTasks) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value product = (v.gather(0, "h") * m.parameter("W", {2, 2})).named("product");
    v.scatter("h", tanh(product));
    v.push("y", product);
  });
  const auto program = compile(m, {.training = false});
  EXPECT_TRUE(program->types[0].tensors == std::vector<Tensor>({{.name = "product", .width = 2, .spans_tasks = true}}));
}

TEST(Storage, PartsOfAScatteredValueAreWrittenIntoTheState) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value h = v.gather(0, "h");
    const Value a = tanh((h * m.parameter("W", {4, 2})).named("a"));
    const Value b = sigmoid((h * m.parameter("V", {4, 2})).named("b"));
    v.scatter("h", concat({a, b}));
  });
  const auto program = compile(m, {.training = false, .disabled_passes = {"fuse_rows"}});
  const TypeProgram& type = program->types[0];
  std::vector<Operand> read, written;
  each_instruction(type.at(false, Stage::kTask), [&](const Instruction& i) {
    if (!i.is<Elementwise>()) return;
    read.insert(read.end(), i.in.begin(), i.in.end());
    written.insert(written.end(), i.out.begin(), i.out.end());
  });
  EXPECT_TRUE(type.tensors == std::vector<Tensor>({{.name = "a", .width = 2}, {.name = "b", .width = 2}}))
      << "only the products; the parts and the whole use the state's memory";
  const Operand a{.kind = StorageKind::kTensor, .id = 0, .width = 2, .stride = 2};
  const Operand left{.kind = StorageKind::kState, .id = 0, .column = 0, .width = 2, .stride = 4};
  Operand b = a, right = left;
  b.id = 1;
  right.column = 2;
  EXPECT_THAT(read, testing::ElementsAre(a, b));
  EXPECT_THAT(written, testing::ElementsAre(left, right));
}

TEST(Storage, ABiasAddsToItsGradientInPlace) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) { v.push("y", v.pull("x", 3) + m.parameter("b", {3})); });
  const auto program = compile(m, {.push_gradients = true});
  std::vector<Operand> written;
  each_code(program->types[0], [&](const Code& code, bool backward, Stage) {
    each_instruction(code, [&](const Instruction& i) {
      if (backward) written.insert(written.end(), i.out.begin(), i.out.end());
    });
  });
  const Operand gradient{.kind = StorageKind::kParameterGradient, .id = 0, .width = 3, .domain = kParameterRows};
  EXPECT_THAT(written, testing::ElementsAre(gradient));
}

TEST(Program, IsTheSameForTheSameArguments) {
  for (const ZooCase& zoo : zoo_cases(1)) {
    const auto program = compile(zoo.model);
    EXPECT_TRUE(*program == *compile(zoo.model)) << zoo.name;
    EXPECT_FALSE(*program == *compile(zoo.model, {.training = false})) << zoo.name;
    EXPECT_FALSE(*program == *compile(zoo.model, {}, {.alignment = 32})) << zoo.name;
  }
}

}  // namespace
}  // namespace cavs

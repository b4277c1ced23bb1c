// Products that are added become one value, products of one input become one instruction, and others stay separate.

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <string>

#include "compile/count_nodes.h"
#include "compile/program.h"

namespace cavs {
namespace {

using testing::ElementsAre;

constexpr int kWidth = 32;

std::shared_ptr<const Program> compiled(const std::function<void(Model&, Vertex&)>& declare,
                                        const CompileOptions& options = {}) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) { declare(m, v); });
  return compile(m, options);
}

std::vector<Instruction> products(const Program& program, bool backward, Stage stage) {
  std::vector<Instruction> found;
  each_instruction(program.types[0].at(backward, stage), [&](const Instruction& i) {
    if (i.is<Matmul>()) found.push_back(i);
  });
  return found;
}

const std::vector<Factor>& factors(const Instruction& i) { return i.as<Matmul>()->factors; }

/// Names of the parameters of a factor. Names of weights that are added are joined by a plus.
std::vector<std::string> names(const Program& program, const Factor& factor) {
  std::vector<std::string> found;
  for (std::size_t p = 0; p < factor.parameters.size(); ++p)
    found.push_back((factor.add[p] ? "+" : "") + program.parameters[factor.parameters[p]].name);
  return found;
}

Parameter square(Model& m, const std::string& name, int gates = 1) {
  return m.parameter(name, {kWidth, gates * kWidth});
}

/// A cell with gates that read two children, and one gate per child.
void binary_cell(Model& m, Vertex& v) {
  const Value l = v.gather(0, "h"), r = v.gather(1, "h");
  auto [a, b] = split<2>(l * square(m, "L", 2) + r * square(m, "R", 2) + m.parameter("b", {2 * kWidth}));
  const Value h = sigmoid(a) * tanh(b) + sigmoid(l * square(m, "Fl")) + sigmoid(r * square(m, "Fr"));
  v.scatter("h", h);
  v.push("y", h);
}

TEST(MergeProducts, GatesAndChildrenAreOneInstruction) {
  const auto program = compiled(binary_cell);
  const auto found = products(*program, false, Stage::kTask);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(factors(found[0]).size(), 2U);
  EXPECT_THAT(names(*program, factors(found[0])[0]), ElementsAre("L", "Fl"));
  EXPECT_THAT(names(*program, factors(found[0])[1]), ElementsAre("+R", "Fr"));
  EXPECT_EQ(found[0].as<Matmul>()->gate, kWidth);
  for (const Factor& factor : factors(found[0])) EXPECT_EQ(program->weights[factor.weight].gate, kWidth);
}

TEST(MergeProducts, GradientsOfTheChildrenAreOneInstruction) {
  const auto program = compiled(binary_cell, {.training = true, .push_gradients = true});
  const auto found = products(*program, true, Stage::kTask);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].as<Matmul>()->transposed);
  ASSERT_EQ(factors(found[0]).size(), 3U);
  EXPECT_EQ(found[0].out.size(), 2U);
  int set = 0, added = 0;
  for (const Factor& factor : factors(found[0]))
    for (char add : factor.add) ++(add ? added : set);
  EXPECT_EQ(set, 2);
  EXPECT_EQ(added, 2);
}

TEST(MergeProducts, LeadTheLoopThatReadsTheGates) {
  const auto program = compiled(binary_cell, {.training = false});
  const TypeProgram& type = program->types[0];
  const Code& code = type.at(false, Stage::kTask);
  ASSERT_EQ(code.size(), 1U);
  const auto* group = code[0].as<RowGroup>();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->product_units, kWidth / program->target.slice_columns);
  ASSERT_EQ(group->members.size(), 2U);
  EXPECT_EQ(name_of(group->members[0]), "matmul");
  EXPECT_EQ(name_of(group->members[1]), "elementwise");
  for (const Operand& gate : group->members[0].out) EXPECT_GE(type.tensors[gate.id].tile, 0) << "in the cache";
}

/// A worker, or a thread of a GPU, has only its own columns of each gate.
TEST(MergeProducts, LeadNoLoopThatReadsPartsOfTwoGates) {
  const auto leads = [](std::int32_t first) {
    const auto program = compiled([first](Model& m, Vertex& v) {
      const Value wide = v.gather(0, "h") * square(m, "W", 3);
      v.scatter("h", tanh(slice(wide, first, kWidth)));
    });
    const Code& code = program->types[0].at(false, Stage::kTask);
    return code[0].is<RowGroup>() && code[0].as<RowGroup>()->product_units > 0;
  };
  EXPECT_TRUE(leads(0));
  EXPECT_TRUE(leads(kWidth));
  EXPECT_FALSE(leads(kWidth / 2));
}

TEST(MergeProducts, SwitchedOffProductsStaySeparate) {
  const auto units = [](const Instruction& i) { return i.is<RowGroup>() ? i.as<RowGroup>()->product_units : 0; };
  const auto program = compiled(binary_cell, {.disabled_passes = {"merge_products"}});
  EXPECT_EQ(products(*program, false, Stage::kTask).size(), 3U);
  for (const Instruction& i : program->types[0].at(false, Stage::kTask)) EXPECT_EQ(units(i), 0);
  const auto unfused = compiled(binary_cell, {.disabled_passes = {"fuse_rows"}});
  for (const Instruction& i : unfused->types[0].at(false, Stage::kTask)) EXPECT_EQ(units(i), 0);
  const auto apart = compiled(binary_cell, {.disabled_passes = {"merge_products", "join_products"}});
  EXPECT_EQ(products(*apart, false, Stage::kTask).size(), 4U);
}

TEST(MergeProducts, APaddedGateIsNotMerged) {
  const auto program = compiled([](Model& m, Vertex& v) {  // 20 columns are not a multiple of a slice
    const Value h = v.gather(0, "h");
    const Value wide = h * m.parameter("W", {20, 40}), narrow = h * m.parameter("V", {20, 20});
    v.scatter("h", tanh(slice(wide, 0, 20)) + tanh(slice(wide, 20, 20)) + sigmoid(narrow));
  });
  EXPECT_EQ(products(*program, false, Stage::kTask).size(), 2U);
}

TEST(JoinProducts, ProductsOverAllVerticesStaySeparateFromThoseOfTasks) {
  const auto program = compiled([](Model& m, Vertex& v) {
    v.scatter("h", tanh(v.pull("x", kWidth) * square(m, "W") + v.gather(0, "h") * square(m, "U")));
  });
  EXPECT_EQ(products(*program, false, Stage::kEager).size(), 1U);
  EXPECT_THAT(products(*program, false, Stage::kTask), ElementsAre(testing::ResultOf(factors, testing::SizeIs(1))));
}

TEST(JoinProducts, ProductsWithOtherReadersStaySeparate) {
  const auto program = compiled([](Model& m, Vertex& v) {
    const Value a = v.pull("x", kWidth) * square(m, "W"), b = v.pull("y", kWidth) * square(m, "U");
    v.push("sum", a + b);
    v.push("first", a);
  });
  EXPECT_EQ(products(*program, false, Stage::kEager).size(), 2U);
}

TEST(JoinProducts, EachDirectionJoinsItsOwnPart) {
  const auto sums = [](std::vector<std::string> disabled) {
    const auto program = compiled(binary_cell, {.push_gradients = true, .disabled_passes = std::move(disabled)});
    const Function& f = program->types[0].function;
    const auto joined = [](const Node& node) { return node.op->name.ends_with("_sum"); };
    const auto end_of_f = f.nodes.begin() + f.forward;
    return std::pair(std::count_if(f.nodes.begin(), end_of_f, joined), std::count_if(end_of_f, f.nodes.end(), joined));
  };
  EXPECT_EQ(sums({}), std::pair(1L, 2L))
      << "one product of F for both children, and one of its gradient for each child";
  EXPECT_EQ(sums({"join_products"}), std::pair(0L, 2L));
  EXPECT_EQ(sums({"join_gradient_products"}), std::pair(1L, 0L));
  EXPECT_EQ(sums({"join_products", "join_gradient_products"}), std::pair(0L, 0L));
}

TEST(JoinProducts, TwoBatchedProductsAreOneKernelAndAThirdIsAdded) {
  const auto sum_of = [](int terms) {
    return compiled([=](Model& m, Vertex& v) {
      const auto term = [&](int i) {
        const Value x = reshape(v.pull("x" + std::to_string(i), 6 * kWidth), {6, kWidth});
        return batch_matmul(x, square(m, "W" + std::to_string(i)));
      };
      Value sum = term(0);
      for (int i = 1; i < terms; ++i) sum = sum + term(i);
      v.push("sum", sum);
    });
  };
  EXPECT_EQ(count(*sum_of(2), "batch_matmul_sum"), 1);
  EXPECT_EQ(count(*sum_of(2), "batch_matmul"), 0);
  EXPECT_EQ(count(*sum_of(3), "batch_matmul"), 1) << "a row kernel has four inputs";
  EXPECT_EQ(count(*sum_of(3), "weight_gradient"), 3) << "each is one sum over all rows";
}

TEST(JoinProducts, ALongSumKeepsItsOrder) {
  const auto program = compiled([](Model& m, Vertex& v) {
    const Value x = v.pull("x", kWidth), y = v.pull("y", kWidth);
    v.push("sum", x * square(m, "A") + y * square(m, "B") + x * square(m, "C"));
  });
  const auto found = products(*program, false, Stage::kEager);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(factors(found[0]).size(), 3U);
  EXPECT_THAT(names(*program, factors(found[0])[0]), ElementsAre("A"));
  EXPECT_THAT(names(*program, factors(found[0])[1]), ElementsAre("+B"));
  EXPECT_THAT(names(*program, factors(found[0])[2]), ElementsAre("+C"));
}

}  // namespace
}  // namespace cavs

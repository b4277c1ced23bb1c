// Instructions that work row by row form groups. Values that only one group uses get no memory for all rows.

#include "compile/row_groups.h"

#include <gmock/gmock.h>

#include <functional>

#include "compile/program.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kRowWidth = 8;

/// A vertex function that scatters the result of `body` for the pull "x".
std::shared_ptr<const Program> compiled(const std::function<Value(Model&, Vertex&, const Value& x)>& body,
                                        std::vector<std::string> disabled = {}, bool training = true) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value h = body(m, v, v.pull("x", kRowWidth));
    v.scatter("h", h);
    v.push("h", h);
    v.loss(sum_features(square(v.gather(0, "h"))));
  });
  return compile(m, {.training = training, .disabled_passes = std::move(disabled)});
}

std::vector<std::string> names(const std::vector<Instruction>& code) {
  std::vector<std::string> names;
  for (const Instruction& i : code) names.emplace_back(i.is<RowGroup>() ? "group" : name_of(i));
  return names;
}

/// The members of the only group in the code.
const Instruction& only_group(const Code& code) {
  static const Instruction kNone{.kind = RowGroup{}};
  const Instruction* group = nullptr;
  for (const Instruction& i : code)
    if (i.is<RowGroup>()) {
      EXPECT_EQ(group, nullptr) << "a second group";
      group = &i;
    }
  EXPECT_NE(group, nullptr) << "no group";
  return group == nullptr ? kNone : *group;
}

const std::vector<Instruction>& members(const Instruction& group) { return group.as<RowGroup>()->members; }

/// Widths of the outputs that an instruction writes into the tile of its group.
std::vector<std::int32_t> tile_widths(const TypeProgram& type, const Instruction& i) {
  std::vector<std::int32_t> widths;
  for (const Operand& y : i.out)
    if (y.kind == StorageKind::kTensor && type.tensors[y.id].tile >= 0) widths.push_back(y.width);
  return widths;
}

Value layer_and_activation(Model& m, Vertex& v, const Value& x) {
  const Value y = x + v.gather(0, "h") * m.parameter("W", {kRowWidth, kRowWidth});
  return tanh(multiply(layer_norm(y), m.parameter("g", {kRowWidth})));
}

TEST(RowGroups, LayerNormJoinsTheLoopsAroundIt) {
  const auto program = compiled(layer_and_activation, {}, false);
  const Code& code = program->types[0].at(false, Stage::kTask);
  EXPECT_THAT(names(code), ElementsAre("matmul", "group"));
  EXPECT_TRUE(code[1].barrier);
  const Instruction& group = only_group(code);
  EXPECT_THAT(names(members(group)), ElementsAre("elementwise", "layer_norm", "elementwise"));
  EXPECT_EQ(group.domain, kVertexRows);
  EXPECT_THAT(tile_widths(program->types[0], members(group)[0]), ElementsAre(kRowWidth));
  EXPECT_THAT(tile_widths(program->types[0], members(group)[1]), ElementsAre(kRowWidth));
  EXPECT_THAT(tile_widths(program->types[0], members(group)[2]), IsEmpty()) << "the state";
  EXPECT_EQ(group.as<RowGroup>()->tile_widths[0], 2 * kRowWidth);
  EXPECT_EQ(group.free_columns, 0) << "a layer norm needs the whole row";
}

TEST(RowGroups, ValuesThatTheBackwardPassReadsStayInMemory) {
  const auto program = compiled(layer_and_activation);
  const Instruction& group = only_group(program->types[0].at(false, Stage::kTask));
  EXPECT_THAT(tile_widths(program->types[0], members(group)[0]), IsEmpty()) << "layer_norm_grad reads it";
}

TEST(RowGroups, SwitchedOffEveryInstructionIsSeparate) {
  const auto program = compiled(layer_and_activation, {"fuse_rows"});
  for (const auto& direction : program->types[0].code)
    for (const Code& code : direction) EXPECT_THAT(names(code), testing::Not(testing::Contains("group")));
  for (const Tensor& tensor : program->types[0].tensors) EXPECT_EQ(tensor.tile, -1) << tensor.name;
  EXPECT_THAT(names(program->types[0].at(false, Stage::kTask)),
              ElementsAre("matmul", "elementwise", "layer_norm", "elementwise"));
}

Value sum_over_children(Model& m, Vertex& v, const Value& x) {
  const Value hs = v.children("h");
  const Value f = sigmoid(hs * m.parameter("U", {kRowWidth, kRowWidth}) + x);
  return tanh(sum(f * hs));
}

TEST(RowGroups, EdgesAndTheirSumJoinTheirVertices) {
  const auto program = compiled(sum_over_children, {}, false);
  const TypeProgram& type = program->types[0];
  const Instruction& group = only_group(type.at(false, Stage::kTask));
  EXPECT_THAT(names(members(group)), ElementsAre("elementwise", "sum_children", "elementwise"));
  EXPECT_EQ(group.domain, kVertexRows);
  EXPECT_EQ(members(group)[0].domain, kEdgeRows);
  EXPECT_THAT(group.as<RowGroup>()->tile_widths, ElementsAre(kRowWidth, kRowWidth))
      << "the sum has rows of vertices, the products have rows of edges";
  EXPECT_EQ(group.free_columns, kRowWidth) << "every column can be computed separately";
}

TEST(RowGroups, GatheredGradientsAreReadDirectlyByTheLoop) {
  const auto program = compiled(sum_over_children);
  const TypeProgram& type = program->types[0];
  const Code& code = type.at(true, Stage::kTask);
  ASSERT_TRUE(code[0].is<RowGroup>());
  EXPECT_THAT(names(members(code[0])), ElementsAre("gather_gradient", "elementwise", "elementwise"));
  EXPECT_EQ(members(code[0])[1].domain, kVertexRows);
  EXPECT_EQ(members(code[0])[2].domain, kEdgeRows) << "reads the gradient of the sum through the vertex of the edge";
  EXPECT_THAT(tile_widths(type, members(code[0])[0]), ElementsAre(kRowWidth));
  EXPECT_THAT(tile_widths(type, members(code[0])[1]), ElementsAre(kRowWidth));
}

TEST(RowGroups, CrossEntropyJoinsTheBiasAndItsGradientJoinsTheLoss) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value logits = v.pull("x", kRowWidth) * m.parameter("W", {kRowWidth, 5}) + m.parameter("b", {5});
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
  const auto program = compile(m, {});
  const TypeProgram& type = program->types[0];
  EXPECT_THAT(names(members(only_group(type.at(false, Stage::kEager)))),
              ElementsAre("elementwise", "softmax_cross_entropy"));
  const Code& backward = type.at(true, Stage::kEager);
  const Instruction& group = only_group(backward);
  EXPECT_THAT(names(members(group)), ElementsAre("elementwise", "softmax_cross_entropy_grad"));
  EXPECT_THAT(tile_widths(type, members(group)[0]), ElementsAre(1));
  for (const Instruction& i : backward) {  // the bias and the weight read the gradient of all rows
    EXPECT_EQ(i.level, i.is<RowGroup>() ? group.level : group.level + 1);
  }
}

TEST(RowGroups, ProductsSeparateGroups) {
  const auto program = compiled(
      [](Model& m, Vertex& v, const Value& x) {
        const Value y = softmax(tanh(v.gather(0, "h") + x));
        return softmax(tanh(y * m.parameter("W", {kRowWidth, kRowWidth})));
      },
      {}, false);
  EXPECT_THAT(names(program->types[0].at(false, Stage::kTask)), ElementsAre("group", "matmul", "group"));
}

TEST(RowGroups, AGroupWithoutReadersRaisesNoLevel) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    v.scatter("g", softmax(tanh(v.gather(0, "g") + v.pull("x", kRowWidth))));
    v.scatter("h", v.gather(0, "h") * m.parameter("W", {kRowWidth, kRowWidth}));
  });
  const auto program = compile(m, {.training = false});
  const Code& code = program->types[0].at(false, Stage::kTask);
  EXPECT_THAT(names(code), ElementsAre("group", "matmul"));
  for (const Instruction& i : code) EXPECT_FALSE(i.barrier);
}

TEST(RowGroups, AGroupThatReadsShiftedColumnsIsNotSplitByColumns) {
  const auto program = compiled(
      [](Model&, Vertex& v, const Value& x) {
        const Value both = concat({sum(v.children("h")), mean(v.children("h"))});
        return tanh(slice(both, kRowWidth / 2, kRowWidth) + x);
      },
      {}, false);
  const Instruction& group = only_group(program->types[0].at(false, Stage::kTask));
  for (const Instruction& i : members(group)) EXPECT_EQ(i.free_columns, kRowWidth);
  EXPECT_EQ(group.free_columns, 0);
}

/// Element-wise instructions read a mean over children. In this grouping the mean runs alone.
TEST(RowGroups, OfColumnsHaveNoOtherOperatorThanSumsOverChildren) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    const Value h = v.children("h"), first = v.gather(0, "h");
    const Value larger = max(first, h);
    v.scatter("h", tanh(v.pull("x", kRowWidth) + sum(h * each_child(mean(h)) * larger)));
    v.push("h", v.gather(0, "h"));
    v.loss(sum_features(square(first)));
  });
  Target target;
  target.grouping = RowGrouping::kColumns;
  const auto check = [](const Code& code, bool, Stage) {
    for (const Instruction& i : code) {
      if (!i.is<RowGroup>()) continue;
      for (const Instruction& member : members(i)) {
        const auto* const row = member.as<RowOp>();
        EXPECT_TRUE(row == nullptr || row->op->id == OpId::kSumChildren) << row->op->name;
      }
    }
  };
  for (const char* const pass : {"fuse", "simplify", "recompute"})
    each_code(compile(m, {.disabled_passes = {pass}}, target)->types[0], check);
}

}  // namespace
}  // namespace cavs

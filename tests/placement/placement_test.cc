// Tests which processor owns which columns of the weights of tasks, and in which memory.

#include "placement/placement.h"

#include <gmock/gmock.h>

#include "helpers/models.h"

namespace cavs {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Instruction product_with(std::int32_t weight) {
  Instruction product;
  product.kind = Matmul{.factors = {{{0}, {0}, {0}, weight}}};
  return product;
}

Code& task_code(Program& program) { return program.types[0].code[0][static_cast<std::size_t>(Stage::kTask)]; }

/// A program whose tasks have one product for each of these weight shapes.
Program program_with(const std::vector<Shape>& shapes, std::int32_t gate = 0) {
  Program program;
  program.types.resize(1);
  for (const Shape& shape : shapes) {
    const auto number = static_cast<std::int32_t>(program.parameters.size());
    ParameterInfo& parameter = program.parameters.emplace_back();
    parameter.name = "W" + std::to_string(number);
    parameter.shape = shape;
    program.weights.push_back({{number}, false, gate});
    task_code(program).push_back(product_with(number));
  }
  return program;
}

OnChipTarget cores(std::int32_t count, std::int64_t bytes = 1 << 20) {
  return {.name = "test", .processors = count, .memories = {{"cache", bytes}}};
}

TEST(Placement, NeighbouringUnitsBelongToOneProcessor) {
  const WeightPlacement p = place_weights(program_with({{8, 80}}), cores(2));
  ASSERT_THAT(p.weights, SizeIs(1));
  EXPECT_THAT(p.weights[0].owner, ElementsAre(0, 0, 1, 1, 1)) << "split_range splits five units in this way";
  EXPECT_EQ(p.weights[0].unit_bytes, 8 * 16 * 4);
  EXPECT_THAT(p.weights[0].memory, Each(0));
  EXPECT_THAT(p.used, ElementsAre(ElementsAre(2 * 512), ElementsAre(3 * 512)));
}

TEST(Placement, AllGatesOfAColumnBelongToOneProcessor) {
  const WeightPlacement p = place_weights(program_with({{8, 96}}, 32), cores(2));
  EXPECT_THAT(p.weights[0].owner, ElementsAre(0, 1)) << "two units of three gates";
  EXPECT_EQ(p.weights[0].gates, 3);
  EXPECT_EQ(p.weights[0].unit_bytes, 3 * 8 * 16 * 4);
}

TEST(Placement, ColumnsThatDoNotFitAreStreamed) {
  constexpr std::int32_t kNone = PlacedWeight::kStreamed;
  const WeightPlacement p = place_weights(program_with({{8, 64}, {8, 64}}), cores(1, 3000));
  EXPECT_THAT(p.weights[0].memory, Each(0));
  EXPECT_THAT(p.weights[1].memory, ElementsAre(0, kNone, kNone, kNone));
  EXPECT_THAT(p.used, ElementsAre(ElementsAre(5 * 512)));
}

TEST(Placement, FasterMemoryIsFilledFirst) {
  OnChipTarget target = cores(1, 600);
  target.memories.push_back({"slower", 600});
  EXPECT_THAT(place_weights(program_with({{8, 48}}), target).weights[0].memory, ElementsAre(0, 1, -1));
}

/// Two warps of 32 lanes share the columns. A column of 100 numbers takes 4 words of each lane in its warp.
TEST(Placement, CountsWordsPerLane) {
  const Program program = program_with({{100, 24}});
  const WeightPlacement p = place_weights(program, gpu_target("a GPU", 1, 2, 17, 21));
  const std::vector<std::int32_t>& memory = p.weights[0].memory;
  EXPECT_EQ(std::ranges::count(memory, 0), 8) << "16 registers per lane hold 4 columns per warp";
  EXPECT_EQ(std::ranges::count(memory, 1), 10) << "20 words of shared memory per lane hold 5 more";
  EXPECT_EQ(std::ranges::count(memory, PlacedWeight::kStreamed), 6);
  EXPECT_TRUE(std::ranges::is_sorted(memory.begin(), memory.begin() + 18));
  EXPECT_THAT(p.used, ElementsAre(ElementsAre(4 * 64 * 16, 4 * 64 * 20)));
  EXPECT_THAT(place_weights(program, gpu_target("a GPU", 1, 2, 17)).weights[0].memory, Not(Contains(1)));
}

/// In bf16 the warps split 8 columns, 16 numbers at a time, into 8 parts. Each part takes two words per lane.
TEST(Placement, CountsWordsPerLaneInBf16) {
  const WeightPlacement p = place_weights(program_with({{100, 24}}), gpu_target("a GPU", 1, 2, 9, 8), 2);
  EXPECT_THAT(p.used, ElementsAre(ElementsAre(4 * 64 * 8, 4 * 64 * 8)));
  EXPECT_EQ(std::ranges::count(p.weights[0].memory, 0), 8);
  EXPECT_EQ(std::ranges::count(p.weights[0].memory, 1), 8);
}

TEST(Placement, FactorsOfOneProductHaveTheSameOwners) {
  Program program = program_with({{8, 80}, {4, 80}});
  task_code(program)[0].as<Matmul>()->factors.push_back({{1}, {0}, {1}, 1});  // x * W0 + y * W1
  const WeightPlacement p = place_weights(program, cores(3));
  ASSERT_THAT(p.weights, SizeIs(2));
  EXPECT_EQ(p.weights[0].owner, p.weights[1].owner);
}

TEST(Placement, LeavesOutWeightsOfProductsForAllVertices) {
  Program program = program_with({{8, 32}});
  std::swap(task_code(program), program.types[0].code[0][static_cast<std::size_t>(Stage::kLazy)]);
  EXPECT_THAT(place_weights(program, cores(1)).weights, IsEmpty());
}

TEST(Placement, IsTheSameValueForTheSameProgram) {
  const auto program = compile(small_model("tree-lstm"));
  EXPECT_EQ(place_weights(*program, cpu_target(2, 1 << 21)), place_weights(*program, cpu_target(2, 1 << 21)));
  EXPECT_NE(place_weights(*program, cpu_target(2, 1 << 21)), place_weights(*program, cpu_target(3, 1 << 21)));
}

}  // namespace
}  // namespace cavs

// A program is compiled for a target, which is a plain value. The results are the same for all targets.

#include "compile/target.h"

#include <gmock/gmock.h>

#include "compile/program.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs {
namespace {

/// An imaginary machine with other sizes of all blocks and no fusion.
constexpr Target kOther{
    .slice_columns = 6, .sum_rows = 40, .alignment = 64, .fuses_loops = false, .grouping = RowGrouping::kNone};

// tests/execute compares the functions with the reference, with and without "fuse".
TEST(Target, FunctionsForATargetWithoutFusionAreThoseWithFuseOff) {
  for (const ZooCase& zoo : zoo_cases(1, 0.2)) {
    const auto usual = compile(zoo.model, {.disabled_passes = {"fuse"}}), other = compile(zoo.model, {}, kOther);
    EXPECT_EQ(usual->target, Target{});
    EXPECT_EQ(other->target, kOther);
    for (std::size_t t = 0; t < usual->types.size(); ++t) EXPECT_EQ(other->types[t].function, usual->types[t].function);
  }
}

/// A classifier of many classes, which multiplies the child's state by two weights side by side.
Model wide_model() {
  Model m;
  const int d = 12;
  m.vertex_function("vertex", [&](Vertex& v) {
    const Value h = v.gather(0, "h");
    const auto [a, b] = split<2>(h * m.parameter("W", {d, 2 * d}));
    const Value y = tanh(a) * sigmoid(b) + tanh(h * m.parameter("U", {d, d})) + v.pull("box", d);
    v.scatter("h", y);
    v.loss(softmax_cross_entropy(y * m.parameter("Wy", {d, 300}), v.pull_index("label")));
  });
  return m;
}

TEST(Target, BlocksHaveTheSizesOfTheTarget) {
  const auto products = [](const Target& target) {
    const auto program = compile(wide_model(), {}, target);
    int count = 0;
    each_instruction(program->types[0].at(false, Stage::kTask),
                     [&](const Instruction& i) { count += i.is<Matmul>() && !i.as<Matmul>()->transposed ? 1 : 0; });
    return count;
  };
  EXPECT_EQ(products({}), 2) << "12 columns are not a multiple of a slice of 16";
  EXPECT_EQ(products({.slice_columns = 6}), 1);
  for (const Target& target : {Target{.sum_rows = 40}, Target{}, Target{.sum_rows = 40, .tile_sums = 3}}) {
    const auto program = compile(wide_model(), {}, target);
    std::int32_t tiles = 0;
    for (const Tensor& tensor : program->types[0].tensors)
      tiles += tensor.max_rows == target.sum_rows * target.tile_sums ? 1 : 0;
    EXPECT_EQ(tiles, 1);
  }
}

TEST(Target, NothingIsFusedForATargetThatDoesNotFuse) {
  for (const ZooCase& zoo : zoo_cases(1)) {
    const auto program = compile(zoo.model, {}, kOther);
    for (const TypeProgram& type : program->types)
      each_code(type, [&](const Code& code, bool, Stage) {
        for (const Instruction& i : code) {
          EXPECT_FALSE(i.is<RowGroup>()) << zoo.name;
          EXPECT_TRUE(!i.is<Elementwise>() || i.values.size() == 1) << zoo.name;
        }
      });
  }
}

/// A session recompiles a program that was compiled for another machine, and accepts graphs that are bound to it.
TEST(Target, ASessionRecompilesAProgramForOtherBlockSizes) {
  for (const ZooCase& zoo : zoo_cases(3, 0.2)) {
    const auto samples = all_samples(zoo.graphs);
    const Result expected = Bench(zoo.model, zoo.graphs).run(samples);
    for (const Target& other : {kOther, Target{.slice_columns = 1, .tile_sums = 4, .grouping = RowGrouping::kNone}})
      expect_same_result_bits(Bench(compile(zoo.model, {}, other), zoo.model, zoo.graphs).run(samples), expected,
                              zoo.name);
  }
}

TEST(Target, ARecompiledProgramEqualsTheCompiledModel) {
  for (const ZooCase& zoo : zoo_cases(1, 0.2)) {
    const auto program = compile(zoo.model, {}, kOther), again = compile(*program, Target{});
    EXPECT_TRUE(*again == *compile(zoo.model)) << zoo.name;
  }
}

// The target has the engine's block sizes except for fusion, so the engine runs the program without recompiling it.
TEST(Target, TheCpuRunsProgramsThatFuseNothing) {
  for (const ZooCase& zoo : zoo_cases(3)) {
    const auto samples = all_samples(zoo.graphs);
    const Bench usual(zoo.model, zoo.graphs);
    const Target fuses_nothing{.alignment = 64, .fuses_loops = false, .grouping = RowGrouping::kNone};
    const Bench other(compile(zoo.model, {}, fuses_nothing), zoo.model, zoo.graphs);
    const Result expected = usual.run(samples);
    const Result found = other.run(samples);
    for (const auto& [port, values] : expected.outputs) expect_same_bits(found.outputs.at(port), values, zoo.name);
    expect_same_numbers(found, expected, *usual.parameters, zoo.name);
  }
}

}  // namespace
}  // namespace cavs

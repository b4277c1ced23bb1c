#include "inspect/print_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/model.h"

namespace cavs {
namespace {

using ::testing::HasSubstr;

/// Two products of one input. A parameter of another shape separates their weights.
Model two_gates() {
  Model m;
  auto A = m.parameter("A", {4, 4}), b = m.parameter("b", {2}), B = m.parameter("B", {4, 4});
  m.vertex_function("cell", [&](Vertex& v) {
    auto x = v.pull("x", 4);
    auto p = x * A;
    auto y = v.pull("y", 2) + b;
    auto q = x * B;
    v.push("out", sigmoid(p) * tanh(q));
    v.push("y", y);
  });
  return m;
}

TEST(PrintLayout, ShowsOperandsOrderAndCopies) {
  const auto program = compile(two_gates(), {.training = false});
  const MemoryLayout layout = find_layout(*program);
  const std::string text = to_text(layout, *program);
  EXPECT_THAT(text, HasSubstr("layout of vertex function 'cell': 5 batches by policy 'frontier', lower bound 5\n"));
  EXPECT_THAT(text, testing::ContainsRegex("2 x matmul +result"));
  EXPECT_THAT(text, testing::ContainsRegex("input 1 +copy +view +[AB], [AB]\n"));
  EXPECT_THAT(text, testing::ContainsRegex("order of parameters: .*(A B|B A)"));
  EXPECT_THAT(text, HasSubstr("copies in the order of the layout: none\n"));
  EXPECT_THAT(text, HasSubstr("128 bytes of parameters per task"));
  EXPECT_THAT(text, HasSubstr("0 operands given up\n"));
}

TEST(PrintLayout, ShowsTheCostOfACopy) {
  EXPECT_EQ(to_text(CopyCost{}), "none");
  EXPECT_EQ(to_text(CopyCost{1, 512, 0}), "1 kernel, 512 bytes per vertex");
  EXPECT_EQ(to_text(CopyCost{3, 512, 2048}), "3 kernels, 512 bytes per vertex, 2.0 KiB of parameters per task");
}

TEST(PrintLayout, ShowsColumnsAndStates) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    auto gates = v.gather(0, "h") * m.parameter("U", {4, 8});
    auto [i, o] = split<2>(gates);
    auto c = sigmoid(i) + v.gather(0, "c");
    v.scatter("c", c);
    v.scatter("h", sigmoid(o) * tanh(c));
  });
  const auto program = compile(m, {.training = false});
  const std::string text = to_text(find_layout(*program), *program);
  EXPECT_THAT(text, testing::ContainsRegex("%[0-9]+\\[0:4\\], %[0-9]+\\[4:8\\]"));
  EXPECT_THAT(text, testing::ContainsRegex("cell +scatters +c h +as one block\n"));
  EXPECT_THAT(text, testing::ContainsRegex("cell +gathers from child 0 +c h +as one block\n"));
}

}  // namespace
}  // namespace cavs

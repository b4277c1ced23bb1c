#include "inspect/print_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/model.h"
#include "compile/program.h"

namespace cavs {
namespace {

using ::testing::HasSubstr;

/// h = tanh(gather(0, h) * W + x), with a named value.
Model small_cell() {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    // One statement per node, because a compiler may evaluate operands in any order.
    auto h = v.gather(0, "h");
    auto product = h * m.parameter("W", {2, 2});
    auto x = v.pull("x", 2);
    auto y = tanh(product + x).named("y");
    v.scatter("h", y);
    v.push("out", y);
  });
  return m;
}

TEST(PrintFunction, ShowsTheKindAndTheStageOfEveryNode) {
  const Model model = small_cell();
  const Function& f = model.functions()[0];
  EXPECT_EQ(to_text(f, find_stages(f)),
            "vertex function 'cell'\n"
            "F:\n"
            "  %0 = gather(0, \"h\")    [2]     vertex     task\n"
            "  %1 = parameter(\"W\")    [2, 2]  parameter  eager\n"
            "  %2 = matmul(%0, %1)    [2]     vertex     task\n"
            "  %3 = pull(\"x\")         [2]     vertex     eager\n"
            "  %4 = add(%2, %3)       [2]     vertex     task\n"
            "  %5 = tanh(%4)          [2]     vertex     task   'y'\n"
            "       scatter(\"h\", %5)          vertex     task\n"
            "       push(\"out\", %5)           vertex     lazy\n");
}

TEST(PrintFunction, ShowsTheDerivedFunctionAfterTheDeclaredOne) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    auto h = v.gather(0, "h");
    auto y = h * m.parameter("W", {1, 1});
    v.scatter("h", y);
    v.loss(reshape(y, {}));
  });
  const auto program = compile(m);
  const TypeProgram& type = program->types[0];
  EXPECT_EQ(to_text(type.function, type.stages),
            "vertex function 'cell'\n"
            "F:\n"
            "   %0 = gather(0, \"h\")                 [1]     vertex     task\n"
            "   %1 = parameter(\"W\")                 [1, 1]  parameter  eager\n"
            "   %2 = matmul(%0, %1)                 [1]     vertex     task\n"
            "        scatter(\"h\", %2)                       vertex     task\n"
            "   %4 = reshape(%2)                    []      vertex     lazy\n"
            "   %5 = expand(%4)                     []      vertex     lazy\n"
            "        loss(%5)                               vertex     lazy\n"
            "∂F:\n"
            "   %7 = loss_gradient()                []      parameter  eager\n"
            "   %8 = expand(%7)                     []      vertex     eager\n"
            "   %9 = reshape(%8)                    [1]     vertex     eager\n"
            "  %10 = gather_gradient(\"h\")           [1]     vertex     task\n"
            "  %11 = add(%9, %10)                   [1]     vertex     task\n"
            "  %12 = matmul_transposed(%11, %1)     [1]     vertex     task\n"
            "  %13 = weight_gradient(%0, %11)       [1, 1]  parameter  lazy\n"
            "        accumulate(\"W\", %13)                   parameter  lazy\n"
            "        scatter_gradient(0, \"h\", %12)          vertex     task\n");
}

TEST(PrintFunction, MarksRecomputedValues) {
  Model m;
  m.vertex_function("cell", [&](Vertex& v) {
    auto product = v.pull("x", 2) * m.parameter("W", {2, 2});
    v.loss(sum_features(gelu(product + m.parameter("b", {2}))));
  });
  const auto program = compile(m);
  const TypeProgram& type = program->types[0];
  EXPECT_THAT(to_text(type.function, type.stages), HasSubstr("= add(%2, %3)               [2]     vertex     eager  "
                                                             "again %4\n"));
  EXPECT_THAT(to_dot(type.function, type.stages), HasSubstr("add(%2, %3)\\n[2] vertex\\nagain %4"));
}

TEST(PrintFunction, WithoutStagesOmitsThem) {
  const Model model = small_cell();
  EXPECT_THAT(to_text(model.functions()[0], {}), HasSubstr("  %2 = matmul(%0, %1)    [2]     vertex\n"));
}

TEST(PrintFunction, ShowsWhichPartOfAValueIsRead) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) {
    auto x = v.pull("x", 6);
    v.push("a", part(x, 1, 3));
    v.push("b", slice(x, 2, 3));
    v.push("c", x + 0.5);
  });
  const std::string text = to_text(m.functions()[0], {});
  EXPECT_THAT(text, HasSubstr("part(%0, 1 of 3) "));
  EXPECT_THAT(text, HasSubstr("slice(%0, 2 to 5) "));
  EXPECT_THAT(text, HasSubstr("add_scalar(%0, 0.5) "));
}

TEST(PrintFunction, DotHasANodeForEachValueAndAnEdgeForEachInput) {
  Model m;
  m.vertex_function("a \"b\"", [](Vertex& v) { v.push("out", tanh(v.pull("x", 2))); });
  const Function& f = m.functions()[0];
  EXPECT_EQ(to_dot(f, find_stages(f)),
            "  subgraph \"cluster_F a \\\"b\\\"\" {\n"
            "    label=\"F of a \\\"b\\\"\";\n"
            "    \"a \\\"b\\\"/0\" [label=\"pull(\\\"x\\\")\\n[2] vertex\", fillcolor=\"#dbeafe\"];\n"
            "    \"a \\\"b\\\"/1\" [label=\"tanh(%0)\\n[2] vertex\", fillcolor=\"#dbeafe\"];\n"
            "    \"a \\\"b\\\"/2\" [label=\"push(\\\"out\\\", %1)\", fillcolor=\"#dbeafe\"];\n"
            "  }\n"
            "  \"a \\\"b\\\"/0\" -> \"a \\\"b\\\"/1\";\n"
            "  \"a \\\"b\\\"/1\" -> \"a \\\"b\\\"/2\";\n");
}

}  // namespace
}  // namespace cavs

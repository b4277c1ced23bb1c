#include "inspect/function_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/graph.h"
#include "cavs/inspect.h"
#include "compile/program.h"
#include "graphs/error_text.h"
#include "helpers/text.h"

namespace cavs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Model drawn_cell() {
  Model m;
  m.vertex_function("a<b", [&](Vertex& v) {
    auto h = v.gather(0, "h");
    auto y = tanh(h * m.parameter("W", {1, 1})).named("y");
    v.scatter("h", y);
    v.loss(reshape(y, {}));
  });
  return m;
}

TEST(FunctionDrawing, HasABoxForEachValueAndALineForEachInput) {
  const Model model = drawn_cell();
  const Function& f = model.functions()[0];  // gather, W, matmul, tanh, scatter, reshape, loss
  const std::string svg = to_svg(f, find_stages(f));
  EXPECT_EQ(count(svg, "<rect x="), 7);
  EXPECT_EQ(count(svg, "<path"), 6);
  EXPECT_THAT(svg, HasSubstr(">%0 = gather(0, &quot;h&quot;)</text>"));
  EXPECT_THAT(svg, HasSubstr(">[1]  vertex  'y'</text>"));
  EXPECT_THAT(svg, HasSubstr("vertex function 'a&lt;b'"));
}

TEST(FunctionDrawing, ShowsTheGradientOnRequest) {
  const auto program = compile(drawn_cell());
  const TypeProgram& type = program->types[0];
  EXPECT_THAT(to_svg(type.function, type.stages), Not(HasSubstr("stroke-dasharray")));
  const std::string svg = to_svg(type.function, type.stages, true);
  const auto nodes = static_cast<int>(type.function.nodes.size());
  EXPECT_EQ(count(svg, "<rect x="), nodes);
  EXPECT_EQ(count(svg, "stroke-dasharray"), nodes - type.function.forward);
}

TEST(GraphDrawing, ShowsWordsLabelsAndTypes) {
  const GraphSet graphs = graphs_from_text("0>2 1>2 | 3>4");
  const std::string svg =
      inspect::to_svg(graphs, 0, {.words = {"good", "&", ""}, .predictions = {-1, -1, -1}, .labels = {-1, -1, 4}});
  EXPECT_EQ(count(svg, "<circle"), 3);
  EXPECT_EQ(count(svg, "<path"), 2);
  EXPECT_THAT(svg, HasSubstr(">good</text>"));
  EXPECT_THAT(svg, HasSubstr(">&amp;</text>"));
  EXPECT_THAT(svg, HasSubstr(">4</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>vertex 2</title>"));
  EXPECT_EQ(
      count(inspect::to_svg(graphs, 1, {.words = {"", ""}, .predictions = {-1, -1}, .labels = {-1, -1}}), "<circle"),
      2);
}

TEST(GraphDrawing, RefusesDrawingsThatAreTooLarge) {
  std::string chain;
  for (int v = 0; v < 1000; ++v) chain += std::to_string(v) + ">" + std::to_string(v + 1) + " ";
  const GraphSet graphs = graphs_from_text(chain);
  const inspect::VertexNotes none{.words = std::vector<std::string>(1001),
                                  .predictions = std::vector<std::int32_t>(1001, -1),
                                  .labels = std::vector<std::int32_t>(1001, -1)};
  EXPECT_THAT(error_of([&] { inspect::to_svg(graphs, 0, none); }), HasSubstr("at most 1000"));
}

}  // namespace
}  // namespace cavs

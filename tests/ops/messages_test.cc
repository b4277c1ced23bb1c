// Errors in declarations name the operator, the function, the value and both shapes.

#include <gmock/gmock.h>

#include <functional>

#include "cavs/session.h"
#include "graphs/error_text.h"
#include "ir/function.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The error of declaring a vertex function 'cell'.
std::string complaint(const std::function<void(Model&, Vertex&)>& declare) {
  Model m;
  const std::string message = error_of([&] { m.vertex_function("cell", [&](Vertex& v) { declare(m, v); }); });
  EXPECT_TRUE(m.functions().empty()) << "a refused function must leave the model as it was";
  EXPECT_TRUE(m.parameters().empty()) << "so must its parameters";
  EXPECT_THAT(message, HasSubstr("'cell'"));
  return message;
}

TEST(Messages, ProductNamesBothShapes) {
  EXPECT_THAT(complaint([](Model& m, Vertex& v) {
                v.pull("x", 300).named("x") * m.parameter("W", {150, 600});
              }),
              AllOf(HasSubstr("[matmul]"), HasSubstr("300 != 150"), HasSubstr("[150, 600]"), HasSubstr("'x'")));
  EXPECT_THAT(complaint([](Model& m, Vertex& v) { v.pull("x", 3) * m.parameter("b", {3}); }),
              AllOf(HasSubstr("[matmul]"), HasSubstr("[k, n]"), HasSubstr("[3]")));
}

TEST(Messages, ProductOfTwoValuesNamesBothShapes) {
  const auto product = [](const Shape& x, const Shape& y) {
    return complaint([&](Model&, Vertex& v) {
      const auto pull = [&](const char* port, const Shape& shape) {
        return reshape(v.pull(port, static_cast<int>(shape.size())), shape).named(port);
      };
      batch_matmul(pull("x", x), pull("y", y));
    });
  };
  EXPECT_THAT(product({2, 3}, {4, 5}), AllOf(HasSubstr("[batch_matmul]"), HasSubstr("3 != 4"), HasSubstr("[4, 5]")));
  EXPECT_THAT(product({3}, {3}), AllOf(HasSubstr("two matrices"), HasSubstr("dot()"), HasSubstr("'x'")));
  EXPECT_THAT(product({}, {1, 2}), AllOf(HasSubstr("two matrices"), HasSubstr("[]")));
  EXPECT_THAT(product({2, 2, 2}, {2, 2}), HasSubstr("[2, 2, 2]"));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                diagonal(reshape(v.pull("x", 4), {2, 2}));
              }),
              AllOf(HasSubstr("[diagonal]"), HasSubstr("[2, 2]")));
  EXPECT_THAT(product({65536, 1}, {1, 65536}), AllOf(HasSubstr("2^31"), HasSubstr("[65536, 65536]")));
}

TEST(Messages, ElementwiseOperatorNamesBothShapesAndValues) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull("x", 3).named("left") + v.pull("y", 4).named("right"); }),
              AllOf(HasSubstr("[add]"), HasSubstr("'left'"), HasSubstr("[3]"), HasSubstr("'right'"), HasSubstr("[4]")));
}

TEST(Messages, ViewsReportShapesThatDoNotFit) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) { split<3>(v.pull("x", 4)); }),
              AllOf(HasSubstr("[part]"), HasSubstr("[4]"), HasSubstr("3 equal parts")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { part(v.pull("x", 4), 2, 2); }),
              AllOf(HasSubstr("[part]"), HasSubstr("part 2 of"), HasSubstr("0 to 1")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { slice(v.pull("x", 4), 3, 2); }),
              AllOf(HasSubstr("[slice]"), HasSubstr("[3, 5)"), HasSubstr("[4]")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                reshape(v.pull("x", 4), {3, 2});
              }),
              AllOf(HasSubstr("[reshape]"), HasSubstr("4 numbers"), HasSubstr("[3, 2]")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                concat({reshape(v.pull("x", 4), {2, 2}), v.pull("y", 1)});
              }),
              AllOf(HasSubstr("[concat]"), HasSubstr("[2, 2]")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                concat({v.pull("x", INT32_MAX), v.pull("y", INT32_MAX)});
              }),
              AllOf(HasSubstr("[concat]"), HasSubstr("4294967294")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { dropout(v.pull("x", 4), 1); }),
              AllOf(HasSubstr("[0, 1)"), HasSubstr("found 1")));
}

TEST(Messages, RowsOfChildrenAndOfVerticesMustNotBeMixed) {
  const auto edges = [](Vertex& v) {
    v.scatter("h", v.pull("x", 2));
    return v.children("h");
  };
  EXPECT_THAT(complaint([&](Model&, Vertex& v) { v.loss(sum_features(edges(v))); }),
              AllOf(HasSubstr("[loss]"), HasSubstr("one row per child"), HasSubstr("sum, mean or max")));
  EXPECT_THAT(complaint([&](Model&, Vertex& v) { v.push("y", edges(v)); }),
              AllOf(HasSubstr("[push]"), HasSubstr("one row per child")));
  EXPECT_THAT(complaint([&](Model&, Vertex& v) { v.scatter("g", edges(v)); }),
              AllOf(HasSubstr("[scatter]"), HasSubstr("one row per child")));
  EXPECT_THAT(complaint([&](Model&, Vertex& v) { softmax_cross_entropy(edges(v), v.pull_index("label")); }),
              AllOf(HasSubstr("[softmax_cross_entropy]"), HasSubstr("one row per child")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.push("y", sum(each_child(v.pull("x", 2)))); }),
              AllOf(HasSubstr("[each_child]"), HasSubstr("does not read its children by children()")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { sum(v.pull("x", 2)); }),
              AllOf(HasSubstr("[sum_children]"), HasSubstr("vertex domain"), HasSubstr("children()")));
}

TEST(Messages, AllEdgesOfAFunctionStartAtOneSlot) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                v.children("h", 1);
                v.children("h");
              }),
              AllOf(HasSubstr("child slot 1 and at 0"), HasSubstr("expected one first slot")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.children("h", -1); }), HasSubstr("first slot -1 is negative"));
}

TEST(Messages, APortHasOneShapeInAllFunctions) {
  Model m;
  m.vertex_function("leaf", [](Vertex& v) { v.push("y", v.pull("x", 2)); });
  m.vertex_function("inner", [](Vertex& v) { v.push("y", v.pull("z", 3)); });
  EXPECT_THAT(error_of([&] { compile(m); }),
              HasSubstr("[push] port 'y' has shape [2] in vertex function 'leaf' and [3] in 'inner'"));
}

TEST(Messages, ALossMustBeAScalar) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.loss(v.pull("x", 2)); }),
              AllOf(HasSubstr("[loss]"), HasSubstr("scalar"), HasSubstr("[2]")));
}

TEST(Messages, LabelsAndWordsMustBePulledIntegers) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) { softmax_cross_entropy(v.pull("x", 2), IndexValue(v.pull("y", 1))); }),
              AllOf(HasSubstr("[softmax_cross_entropy]"), HasSubstr("pulled index")));
  EXPECT_THAT(complaint([](Model& m, Vertex& v) {
                m.lookup("E", {3, 2})(IndexValue(v.pull("y", 1)));
              }),
              AllOf(HasSubstr("[lookup]"), HasSubstr("pulled index")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) { v.pull("x", 2) + v.pull_index("word").value(); }),
              AllOf(HasSubstr("[add]"), HasSubstr("pull_index"), HasSubstr("lookup")));
}

TEST(Messages, StatesHaveOneValueAndOneShape) {
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                v.scatter("h", v.pull("x", 2));
                v.scatter("h", v.pull("x", 2));
              }),
              AllOf(HasSubstr("[scatter]"), HasSubstr("'h'"), HasSubstr("twice")));
  EXPECT_THAT(complaint([](Model&, Vertex& v) {
                v.scatter("h", v.pull("x", 2));
                v.push("y", v.gather(0, "h") + v.pull("z", 3));
              }),
              AllOf(HasSubstr("[add]"), HasSubstr("[2]"), HasSubstr("[3]")));
  Model m;
  m.vertex_function("leaf", [](Vertex& v) { v.scatter("h", v.pull("x", 2)); });
  EXPECT_THAT(error_of([&] { m.vertex_function("inner", [](Vertex& v) { v.scatter("h", v.pull("x", 3)); }); }),
              AllOf(HasSubstr("'h'"), HasSubstr("[2]"), HasSubstr("'leaf'"), HasSubstr("[3]"), HasSubstr("'inner'")));
  EXPECT_EQ(m.functions().size(), 1U);
}

TEST(Messages, AStateWithoutAScatterIsFoundByTheCompiler) {
  Model m;
  m.vertex_function("cell", [](Vertex& v) { v.push("y", v.gather(0, "memory")); });
  EXPECT_THAT(error_of([&] { compile(m); }), AllOf(HasSubstr("[gather]"), HasSubstr("'memory'"), HasSubstr("'cell'")));
}

TEST(Messages, ValuesBelongToTheirVertexFunction) {
  Model m;
  Value kept;
  m.vertex_function("leaf", [&](Vertex& v) { v.scatter("h", kept = v.pull("x", 2)); });
  EXPECT_THAT(error_of([&] { m.vertex_function("inner", [&](Vertex& v) { v.push("y", kept + v.gather(0, "h")); }); }),
              AllOf(HasSubstr("[add]"), HasSubstr("'leaf'"), HasSubstr("scatter and gather")));
  EXPECT_THAT(error_of([&] { m.vertex_function("inner", [&](Vertex& v) { v.push("y", v.gather(0, "h") + kept); }); }),
              AllOf(HasSubstr("[add]"), HasSubstr("'inner'")));
  EXPECT_THAT(error_of([&] { tanh(kept); }), HasSubstr("'leaf'"));
  EXPECT_THAT(error_of([&] { kept* m.parameter("W", {2, 2}); }), HasSubstr("'leaf'"));
}

TEST(Messages, AnEmptyValueIsRefused) {
  Model m;
  const Parameter w = m.parameter("W", {2, 2});
  EXPECT_THAT(error_of([&] { tanh(Value()); }), HasSubstr("values of a vertex function"));
  EXPECT_THAT(error_of([&] { Value() * w; }), HasSubstr("values of a vertex function"));
  EXPECT_THAT(error_of([&] { 1.0 / Value(); }), HasSubstr("values of a vertex function"));
  EXPECT_THAT(error_of([&] { Value().named("x"); }), HasSubstr("values of a vertex function"));
}

TEST(Messages, UnknownOperatorSuggestsOne) {
  EXPECT_THAT(error_of([] {
                Model m;
                m.vertex_function("cell", [](Vertex& v) { apply_op("tahn", {v.pull("x", 1)}); });
              }),
              AllOf(HasSubstr("'tahn'"), HasSubstr("tanh")));
}

TEST(Messages, ParametersAreSharedOnlyWithTheSameShape) {
  Model m;
  m.parameter("W", {2, 3});
  EXPECT_EQ(m.parameter("W", {2, 3}).shape, (Shape{2, 3}));
  EXPECT_THAT(error_of([&] {
                m.parameter("W", {3, 3});
              }),
              AllOf(HasSubstr("'W'"), HasSubstr("[2, 3]"), HasSubstr("[3, 3]")));
  EXPECT_THAT(error_of([&] { m.parameter("x", {0}); }), AllOf(HasSubstr("'x'"), HasSubstr("[0]")));
  EXPECT_THAT(error_of([&] { m.lookup("E", {4}); }), AllOf(HasSubstr("'E'"), HasSubstr("[rows, d]")));
  EXPECT_THAT(error_of([&] { m.lookup("W", {2, 3}); }), HasSubstr("table"));
}

}  // namespace
}  // namespace cavs

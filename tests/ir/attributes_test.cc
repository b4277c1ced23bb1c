#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cavs/model.h"
#include "graphs/error_text.h"
#include "ir/attribute_fields.h"
#include "ir/op.h"

namespace cavs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// One value of each family. No field has its default value.
const Attributes kFamilies[] = {
    attr::None{},
    attr::Named{"h"},
    attr::Tensor{"W", {3, 4}},
    attr::Children{"h", 2, true, Shape{4}},
    attr::IndexPort{"word", DomainKind::kPresent},
    attr::Constant{0.5, {4}},
    attr::Number{1e-5},
    attr::Columns{1, 2},
    attr::Part{1, 3},
    attr::Target{{2, 2}},
    attr::Rows{{DomainKind::kLabelled, "label"}},
    attr::Classes{5},
    attr::Dropout{0.4, true, 3},
    attr::Window{2, 3, 2, 1, 5, 6, 4},
    attr::Matrices{7},
    attr::Loss{2},
    attr::EdgePort{"bond", 2, {4}},
};

OpDef op_of(const Attributes& family) {
  OpDef op{.name = "op", .params = {}, .infer = {}, .doc = ""};
  op.attributes = family;
  return op;
}

TEST(Attributes, JsonFieldsKeepEveryFamily) {
  std::set<std::string_view> kinds;
  for (const Attributes& a : kFamilies) {
    EXPECT_EQ(attributes_from(op_of(a), fields_of(a)), a) << kind_of(a);
    kinds.insert(kind_of(a));
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Attributes>);
}

TEST(Attributes, OperatorsOfTheLibraryUseEveryFamily) {
  std::set<std::string_view> used, all;
  for (const OpDef* op : all_ops()) used.insert(kind_of(op->attributes));
  for (const Attributes& a : kFamilies) all.insert(kind_of(a));
  EXPECT_EQ(used, all);
}

TEST(Attributes, SlotsOfChildrenHaveAStableFileFormat) {
  EXPECT_EQ(fields_of(attr::Children{.name = "h", .slot = 3}).index, 3);
  EXPECT_EQ(fields_of(attr::Children{.name = "h", .slot = 0, .all = true}).index, -1);
  EXPECT_EQ(fields_of(attr::Children{.name = "h", .slot = 3, .all = true}).index, -4);
  EXPECT_EQ(fields_of(attr::Window{.kernel_height = 2, .kernel_width = 3}).shape, (Shape{2, 3}));
  EXPECT_EQ(fields_of(attr::Window{2, 3, 1, 0, 5, 6, 4}).shape, (Shape{2, 3, 5, 6, 4}));
  EXPECT_EQ(fields_of(attr::IndexPort{"word"}).index, 0);
}

std::string refusal(const std::function<void(const Value&)>& declare) {
  Model m;
  return error_of([&] { m.vertex_function("cell", [&](Vertex& v) { declare(v.pull("x", 6)); }); });
}

TEST(Attributes, OfAnotherFamilyAreRefused) {
  EXPECT_THAT(refusal([](const Value& x) {
                apply_op("slice", {x}, attr::Part{0, 2});
              }),
              AllOf(HasSubstr("[slice]"), HasSubstr("Part"), HasSubstr("Columns"), HasSubstr("'cell'")));
  EXPECT_THAT(refusal([](const Value& x) { apply_op("tanh", {x}, attr::Number{2}); }),
              AllOf(HasSubstr("[tanh]"), HasSubstr("Number"), HasSubstr("None")));
  EXPECT_THAT(refusal([](const Value& x) { apply_op("dropout", {x}, attr::Number{0.5}); }),
              AllOf(HasSubstr("[dropout]"), HasSubstr("Number"), HasSubstr("Dropout")));
}

TEST(Attributes, OmittedAttributesAreTheOperatorsDefaults) {
  EXPECT_THAT(refusal([](const Value& x) { apply_op("slice", {x}); }), HasSubstr("[slice] columns [0, 0)"));
  EXPECT_THAT(refusal([](const Value& x) { apply_op("unfold", {reshape(x, {2, 3, 1})}); }), HasSubstr("[unfold]"));
}

TEST(Attributes, ThatDoNotFitAreRefused) {
  EXPECT_THAT(refusal([](const Value& x) {
                reshape(x, {-2, -3});
              }),
              HasSubstr("[reshape] the target is [-2, -3]; expected sizes of at least 1"));
  EXPECT_THAT(refusal([](const Value& x) { apply_op("mean_squared_error", {x}); }),
              HasSubstr("[mean_squared_error] takes 2 inputs, found 1, in vertex function 'cell'"));
}

TEST(Attributes, OperatorsOfAutodiffAndSinksCannotBeApplied) {
  EXPECT_THAT(refusal([](const Value& x) { apply_op("sum_rows", {x}); }), HasSubstr("[sum_rows] is made by autodiff"));
  EXPECT_THAT(refusal([](const Value& x) { apply_op("scatter", {x}, attr::Named{"h"}); }),
              HasSubstr("call Vertex::scatter"));
}

}  // namespace
}  // namespace cavs

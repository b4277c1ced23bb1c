#include "measure/bar_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "helpers/text.h"

namespace cavs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BarChart two_by_two() {
  return {.title = "t",
          .group_label = "hidden",
          .groups = {"64", "128"},
          .series = {"a", "b"},
          .panels = {{.values = {{1, 1}, {2, 5}}}}};
}

TEST(BarChart, DrawsABarWithItsNumberPerSeriesAndGroup) {
  const std::string svg = to_svg(two_by_two());
  EXPECT_EQ(count(svg, "<rect"), 1 + 2 + 4) << "background, legend, bars";
  for (const char* text : {">1.00<", ">2.00<", ">5.00<", ">64<", ">128<", ">hidden<", ">a<", ">b<"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, HasSubstr("height=\"290.00\" fill=\"#c2410c\"")) << "the highest bar ends where the axis ends";
  EXPECT_THAT(svg, HasSubstr("height=\"58.00\" fill=\"#94a3b8\"")) << "a fifth of the highest";
}

TEST(BarChart, StacksFromBottomToTop) {
  BarChart chart = two_by_two();
  chart.stacked = true;
  chart.unit = " %";
  chart.panels = {{.values = {{25, 75}, {75, 25}}, .notes = {"4 ms", "8 ms"}}};
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr(">100 %<"));
  EXPECT_THAT(svg, HasSubstr(">8 ms<"));
  EXPECT_THAT(svg, HasSubstr("y=\"319.50\" width=\"46.00\" height=\"72.50\" fill=\"#94a3b8\""));
  EXPECT_THAT(svg, HasSubstr("y=\"102.00\" width=\"46.00\" height=\"217.50\" fill=\"#c2410c\""))
      << "on top of the first";
}

TEST(BarChart, OmitsNumbersThatAreNotFinite) {
  BarChart chart = two_by_two();
  chart.panels[0].values = {{1, std::nan("")}, {INFINITY, -1}};
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, "<rect"), 1 + 2 + 1);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(BarChart, EveryPanelHasItsOwnAxis) {
  BarChart chart = two_by_two();
  chart.panels.push_back({.name = "second", .values = {{10, 20}, {30, 40}}});
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, ">64<"), 2);
  EXPECT_THAT(svg, HasSubstr(">second<"));
  EXPECT_THAT(svg, HasSubstr(">40<"));
}

TEST(BarChart, ALongLegendHasSeveralLines) {
  BarChart chart = two_by_two();
  const std::string before = to_svg(chart);
  chart.series.assign(20, "a name of some length");
  chart.panels[0].values.assign(20, {1, 2});
  const std::string svg = to_svg(chart);
  EXPECT_THAT(before, HasSubstr("height=\"450\""));
  EXPECT_THAT(svg, HasSubstr("height=\"570\"")) << "six more lines";
}

TEST(BarChart, MarksTheReference) {
  BarChart chart = two_by_two();
  EXPECT_THAT(to_svg(chart), Not(HasSubstr("stroke-dasharray")));
  chart.reference = 1;
  EXPECT_THAT(to_svg(chart), HasSubstr("H730\" stroke=\"#374151\" stroke-dasharray"));
}

}  // namespace
}  // namespace cavs

#include "support/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cavs {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Svg, IsOneDocumentOfTheGivenSize) {
  Svg svg(200, 100);
  svg.title(10, "a");
  svg.text(1, 2, "end", "#000000", "b", " font-size=\"9\"");
  const std::string document = svg.finish();
  EXPECT_THAT(document, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"100\""));
  EXPECT_THAT(document,
              HasSubstr("<text x=\"1\" y=\"2\" text-anchor=\"end\" fill=\"#000000\" font-size=\"9\">b</text>"));
  EXPECT_TRUE(document.ends_with("</svg>\n"));
}

TEST(Svg, EscapesSpecialCharactersOfXml) {
  EXPECT_EQ(escape_xml("a<b> & \"c\"\x01"), "a&lt;b&gt; &amp; &quot;c&quot; ");
}

TEST(Svg, RoundsUpToRoundNumbers) {
  EXPECT_DOUBLE_EQ(round_up(1), 1);
  EXPECT_DOUBLE_EQ(round_up(1.01), 2);
  EXPECT_DOUBLE_EQ(round_up(21), 25);
  EXPECT_DOUBLE_EQ(round_up(0.0026), 0.004);
  EXPECT_DOUBLE_EQ(round_up(7), 10);
}

}  // namespace
}  // namespace cavs

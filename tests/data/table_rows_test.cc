#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cavs/data.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

Dataset chain(std::int64_t word, std::int64_t label) {
  const std::string text =
      fmt::format(R"({{"children":[[],[0]],"pull":{{"word":[1,{}]}},"label":[-1,{}]}})", word, label);
  const std::map<std::string, std::string> texts{{"a", text}};
  return load_data("jsonl:a", {.texts = &texts});
}

// A line of 60 bytes would make an embedding of gigabytes.
TEST(TableRows, AreRefusedWhereOneNumberIsFarAboveAllOthers) {
  EXPECT_EQ(chain(999'999, 2).rows("word"), 1'000'000);
  const Dataset far = chain(99'999'999, 2);
  EXPECT_EQ(error_of([&] { (void)far.rows("word"); }),
            "port 'word' has the number 99999999, so a table of it has 100000000 rows, for 2 vertices "
            "or edges; expected numbers below 1000000: number what they stand for from 0, without gaps");
  EXPECT_EQ(chain(1, 999'999).classes, 1'000'000);
  EXPECT_EQ(error_of([] { chain(1, 1'000'000); }),
            "port 'label' has the number 1000000, so a table of it has 1000001 rows, for 2 vertices or edges; "
            "expected numbers below 1000000: number what they stand for from 0, without gaps");
}

}  // namespace
}  // namespace cavs

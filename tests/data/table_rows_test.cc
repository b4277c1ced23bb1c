#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cavs/data.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

Dataset chain(std::int64_t word) {
  const std::string text = fmt::format(R"({{"children":[[],[0]],"pull":{{"word":[1,{}]}},"label":[-1,2]}})", word);
  const std::map<std::string, std::string> texts{{"a", text}};
  return load_data("jsonl:a", {.texts = &texts});
}

// A line of 60 bytes would otherwise need an embedding of gigabytes.
TEST(TableRows, AreRefusedIfOneNumberIsFarAboveAllOthers) {
  EXPECT_EQ(chain(999'999).rows("word"), 1'000'000);
  const Dataset far = chain(99'999'999);
  EXPECT_EQ(error_of([&] { (void)far.rows("word"); }),
            "port 'word' has the number 99999999, so its table has 100000000 rows, for 2 vertices "
            "or edges; expected numbers below 1000000; number the values from 0, without gaps");
}

}  // namespace
}  // namespace cavs

#include "support/json_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/error.h"

namespace cavs {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

auto refused_json(const std::string& message) { return ThrowsMessage<UserError>(HasSubstr(message)); }

TEST(ParseJson, AcceptsShallowNesting) { EXPECT_EQ(parse_json(R"({"a": [1, "]]]]{{{{\"[[["]})", 2, "x")["a"][0], 1); }

TEST(ParseJson, RefusesDeepNestingBeforeParsing) {
  EXPECT_THAT([] { parse_json("[[[1]]]", 2, "x"); }, refused_json("x: JSON nests 3 levels deep; expected at most 2"));
  EXPECT_THAT([] { parse_json(std::string(10'000'000, '['), 100, "x"); }, refused_json("10000000 levels deep"));
}

TEST(ParseJson, RefusesRepeatedKeys) {
  EXPECT_THAT([] { parse_json(R"({"a": 1, "b": {"a": 2}, "a": 3})", 2, "x"); }, refused_json("duplicate key 'a'"));
  EXPECT_NO_THROW(parse_json(R"([{"a": 1}, {"a": {"a": 2}}])", 3, "x"));
}

TEST(ParseJson, ShowsBytesThatAreNotUtf8) {
  EXPECT_THAT([] { parse_json("\"\xff\"", 9, "x"); }, refused_json("last read: '\"\\xFF'"));
}

TEST(ParseJson, NamesTheLocationOfAnError) {
  for (const char* text : {"", "{", "{\"a\"}", "[1,]", "nul", "\"\xff\"", "1e999", "[1] 2", "]", "\"\\"})
    EXPECT_THAT([&] { parse_json(text, 9, "file: header"); }, refused_json("file: header: not valid JSON: ")) << text;
  EXPECT_THAT([] { parse_json("[1,\n]", 9, "x"); }, refused_json("x: not valid JSON: parse error at line 2, column 1"));
}

}  // namespace
}  // namespace cavs

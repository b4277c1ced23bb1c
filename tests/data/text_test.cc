#include "data/text.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "graphs/error_text.h"

namespace cavs {
namespace {

std::string encode(std::uint32_t c) {
  const auto byte = [](std::uint32_t b) { return static_cast<char>(b); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

TEST(Utf8, EveryCharacterIsValidAndSurrogatesAreNot) {
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    const bool surrogate = c >= 0xD800 && c < 0xE000;
    ASSERT_EQ(find_invalid_utf8(encode(c)) == std::string_view::npos, !surrogate) << c;
  }
}

/// Bytes are valid if and only if decoding and encoding returns the same bytes. Counting characters must agree.
TEST(Utf8, NoOtherSequenceOfUpToThreeBytesIsValid) {
  std::int64_t valid = 0;
  for (std::uint32_t bytes = 0; bytes < (1U << 24); ++bytes) {
    const char text[] = {static_cast<char>(bytes >> 16), static_cast<char>(bytes >> 8), static_cast<char>(bytes)};
    valid += find_invalid_utf8({text, 3}) == std::string_view::npos ? 1 : 0;
  }
  const std::int64_t one = 0x80, two = 0x800 - 0x80, three = 0x10000 - 0x800 - 0x800;
  EXPECT_EQ(valid, one * one * one + 2 * one * two + three);
}

TEST(Utf8, NoOtherFourByteSequenceStartsLikeAFourByteCharacter) {
  std::int64_t valid = 0;
  for (std::uint32_t rest = 0; rest < (1U << 16); ++rest)  // the first two bytes; the others are well-formed
    for (const char* tail : {"\x80\x80", "\xBF\xBF"}) {
      const char text[] = {static_cast<char>(rest >> 8), static_cast<char>(rest), tail[0], tail[1]};
      const bool four = (rest >> 8) >= 0xF0;
      valid += four && find_invalid_utf8({text, 4}) == std::string_view::npos ? 1 : 0;
    }
  EXPECT_EQ(valid, 2 * (0x110000 - 0x10000) / 0x1000);
}

TEST(Utf8, ReportsThePositionOfTheFirstBadByte) {
  EXPECT_EQ(find_invalid_utf8("twelve bytes\xFFmore"), 12U);
  EXPECT_EQ(find_invalid_utf8("cut \xE2\x82"), 4U);
  EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos);
}

TEST(CheckedText, NamesTheLineOfAnInvalidByte) {
  EXPECT_EQ(error_of([] { checked_text("one\ntwo \xE9t\xE9\n", "f.txt"); }),
            "f.txt:2: expected UTF-8, found the byte 0xE9; convert the file (iconv -f ENCODING -t UTF-8)");
  EXPECT_EQ(error_of([] { checked_text(std::string_view("a\n\nb\0c", 6), "f.txt", 10); }),
            "f.txt:12: expected text, found a NUL byte; if it is in UTF-16, convert it (iconv -f UTF-16LE -t UTF-8)");
}

TEST(CheckedText, DropsAByteOrderMark) {
  EXPECT_EQ(checked_text("\xEF\xBB\xBF(a b)", "f.txt"), "(a b)");
  EXPECT_EQ(checked_text("(a b)", "f.txt"), "(a b)");
}

TEST(Excerpt, IsShortAndPrintable) {
  EXPECT_EQ(excerpt("word"), "word");
  EXPECT_EQ(excerpt("\x1B[31mred\x7F"), "?[31mred?");
  EXPECT_EQ(excerpt("\xFFword\xC3 \xC3\xA9"), "?word? \xC3\xA9");
  EXPECT_EQ(excerpt(std::string(100, 'a')), std::string(40, 'a') + "...");
  EXPECT_EQ(excerpt(std::string(39, 'a') + "\xC3\xA9"), std::string(39, 'a') + "...");  // not half of a character
}

}  // namespace
}  // namespace cavs

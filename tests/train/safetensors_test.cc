#include "train/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>

#include "cavs/error.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::byte> file_bytes(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::vector<std::byte> bytes(8 + header.size() + data_bytes);
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

auto parsing(const std::string& header, std::size_t data_bytes) {
  return [=] { parse_safetensors(file_bytes(header, data_bytes), "w.safetensors"); };
}

auto refused_file(const std::string& message) {
  return ThrowsMessage<UserError>(AllOf(HasSubstr("w.safetensors"), HasSubstr(message)));
}

template <typename T>
FileTensor tensor(const std::string& name, const std::string& dtype, std::vector<std::int64_t> shape,
                  const std::vector<T>& values) {
  return {name, dtype, std::move(shape), std::as_bytes(std::span(values))};
}

TEST(Safetensors, ReadsWhatItWrote) {
  EXPECT_TRUE(rc::check([] {
    const TemporaryFolder folder;
    const auto values = *rc::gen::arbitrary<std::map<std::uint16_t, std::vector<std::uint32_t>>>();
    const auto text = *rc::gen::string<std::string>();
    std::string ascii;
    for (const char c : text) ascii += static_cast<char>(c & 0x7F);
    std::vector<FileTensor> tensors;
    for (const auto& [name, v] : values)
      tensors.push_back(tensor(std::to_string(name), "U32", {static_cast<std::int64_t>(v.size())}, v));
    write_safetensors(folder / "a", tensors, {{"text", ascii}});
    const Safetensors file = read_safetensors(folder / "a");
    RC_ASSERT(file.metadata.at("text") == ascii);
    RC_ASSERT(file.tensors.size() == values.size());
    for (const FileTensor& t : file.tensors) {
      const auto& expected = values.at(static_cast<std::uint16_t>(std::stoi(t.name)));
      RC_ASSERT(std::ranges::equal(t.data, std::as_bytes(std::span(expected))));
    }
  }));
}

TEST(Safetensors, PutsWideTypesFirstForAlignment) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  const std::vector<double> doubles{1.5};
  write_safetensors(folder / "a", {tensor("a", "U8", {3}, bytes), tensor("b", "F64", {1}, doubles)}, {});
  const Safetensors file = read_safetensors(folder / "a");
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ((file.tensors[1].data.data() - file.bytes.data()) % 64, 0);
  EXPECT_EQ(file.tensors[0].data.data(), file.tensors[1].data.data() + 8);
}

TEST(Safetensors, ReadsFilesOfOtherProgramsWithoutAHash) {
  const Safetensors file = parse_safetensors(
      file_bytes(R"({"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}}  )", 12), "w.safetensors");
  EXPECT_THAT(file.tensors[0].shape, ElementsAre(2, 3));
  EXPECT_EQ(file.tensors[0].data.size(), 12U);
}

struct BadHeader {
  const char* header;
  const char* message;
};

TEST(Safetensors, RefusesBadHeaders) {
  const BadHeader cases[] = {
      {"", "found a file that begins with"},
      {"[]", "found a file that begins with"},
      {"{", "not valid JSON"},
      {"{", "the file is damaged: use another copy"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "duplicate key 'w'"},
      {R"({"w":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", "nests 4 levels deep"},
      {R"({"w":8})", "tensor 'w': expected dtype, shape and data_offsets"},
      {R"({"w":{"dtype":"F32","shape":[2],"offsets":[0,8]}})", "tensor 'w': expected a list \"data_offsets\""},
      {R"({"w":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})", "expected a text \"dtype\""},
      {R"({"w":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", "unknown type \"F31\""},
      {R"({"w":{"dtype":"F64","shape":[2],"data_offsets":[0,8]}})", "has 8 bytes; its type and shape need 16"},
      {R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "\"shape\" holds -2; expected integers from 0"},
      {R"({"w":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", "holds 2.0"},
      {R"({"w":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
       "its shape has too many elements"},
      {R"({"w":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]}})", "expected integers from 0"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "expected data_offsets [begin, end]"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})", "expected data_offsets [begin, end]"},
      {R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", "ends at byte 12, but the file has only 8"},
      {R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
       "the tensors need 4 bytes of data, but the file has 8"},
      {R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "data begins at byte 4; expected 0"},
      {R"({"v":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
       "tensor 'w': data begins at byte 4; expected 8"},
      {R"({"__metadata__":[]})", "expected an object \"__metadata__\""},
      {R"({"__metadata__":{"a":1}})", "metadata 'a' is not a text"},
      {R"({"__metadata__":{"content_hash":"0000000000000000"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "damaged or altered"},
      {R"({"__metadata__":{"content_hash":""},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "damaged or altered"},
      {R"({"__metadata__":{"content_hash" : "0000000000000000"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
       "damaged or altered"},
  };
  for (const BadHeader& c : cases) EXPECT_THAT(parsing(c.header, 8), refused_file(c.message)) << c.header;
}

TEST(Safetensors, RefusesBadLengths) {
  const auto announced = [](std::uint64_t length) {
    return [=] {
      std::vector<std::byte> bytes(100);
      std::memcpy(bytes.data(), &length, 8);
      bytes[8] = std::byte{'{'};
      parse_safetensors(bytes, "w.safetensors");
    };
  };
  EXPECT_THAT(announced(93),
              refused_file("the header should have 93 bytes, but only 92 follow: the file is cut off; use another"));
  EXPECT_THAT(announced(100'000'001), refused_file("found a file that begins with '\\x01\\xE1"));
  EXPECT_THAT(announced(UINT64_MAX), refused_file("found a file that begins with '\\xFF\\xFF"));
}

TEST(Safetensors, ShowsTheStartOfAnotherKindOfFile) {
  const auto given = [](std::string_view text) {
    return [=] {
      const auto bytes = std::as_bytes(std::span(text));
      parse_safetensors({bytes.begin(), bytes.end()}, "w.safetensors");
    };
  };
  EXPECT_THAT(given(""), refused_file("expected a checkpoint of cavs (safetensors); found an empty file"));
  EXPECT_THAT(given("(3 (2 a)"), refused_file("found a file that begins with '(3 (2 a)'"));
  EXPECT_THAT(given("just text\nand more"), refused_file("found a file that begins with 'just text'"));
}

TEST(Safetensors, RefusesToWriteTextThatIsNotUtf8) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      [&] {
        write_safetensors(folder / "w.safetensors", {}, {{"note", "\xff"}});
      },
      refused_file("not valid UTF-8"));
  EXPECT_EQ(folder.files(), 0);
}

}  // namespace
}  // namespace cavs

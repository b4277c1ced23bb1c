#include <gmock/gmock.h>
#include <zlib.h>

#include <fstream>

#include "cavs/readers.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::MatchesRegex;

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string gzip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  return text;
}

TEST(ReadTextFile, ReadsAFileAndAGzipAlike) {
  const TemporaryFolder folder;
  write(folder / "plain", many_lines());
  gzip(folder / "zipped", many_lines());
  EXPECT_EQ(read_text_file(folder / "plain"), many_lines());
  EXPECT_EQ(read_text_file(folder / "zipped"), many_lines());
  write(folder / "empty", "");
  EXPECT_EQ(read_text_file(folder / "empty"), "");
}

TEST(ReadTextFile, ReportsMissingFilesAndDirectories) {
  const TemporaryFolder folder;
  const std::string missing = folder / "none.txt", directory = folder / "";
  EXPECT_EQ(error_of([&] { read_text_file(missing); }),
            missing +
                ": cannot open the file: No such file or directory; expected a text file or a gzip of one; check its "
                "name and directory");
  EXPECT_EQ(error_of([&] { read_text_file(directory); }),
            directory + ": expected a file, found a directory; give a file in it");
}

TEST(ReadTextFile, ReportsATruncatedGzip) {
  const TemporaryFolder folder;
  const std::string path = folder / "cut.gz", bytes = gzip(path, many_lines());
  for (std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{20}}) {
    write(path, bytes.substr(0, size));
    EXPECT_THAT(error_of([&] { read_text_file(path); }),
                MatchesRegex(".*cut.gz: the gzip data ends early, after [0-9]+ bytes of text; the file is cut off"));
  }
}

TEST(ReadTextFile, ReportsADamagedGzip) {
  const TemporaryFolder folder;
  const std::string path = folder / "bad.gz";
  std::string bytes = gzip(path, many_lines());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  write(path, bytes);
  EXPECT_THAT(error_of([&] { read_text_file(path); }),
              MatchesRegex(".*bad.gz: the gzip data is damaged after [0-9]+ bytes of text .*"));
}

TEST(ReadTextFile, ReadsAllMembersOfAGzip) {
  const TemporaryFolder folder;
  const std::string path = folder / "two.gz", first = gzip(path, "first\n"), second = gzip(path, many_lines());
  write(path, first + second);
  EXPECT_EQ(read_text_file(path), "first\n" + many_lines());
  write(path, first + std::string(700, '\0'));  // the rest of a block
  EXPECT_EQ(read_text_file(path), "first\n");
  std::string damaged = first + second;
  damaged[first.size()] ^= 1;  // one of the first two bytes, which mark a gzip
  write(path, damaged);
  EXPECT_EQ(error_of([&] { read_text_file(path); }),
            path + ": the gzip data is damaged after 6 bytes of text (not gzip data from there on)");
  write(path, first + second.substr(0, 1));
  EXPECT_THAT(error_of([&] { read_text_file(path); }), testing::HasSubstr("after 6 bytes of text"));
  write(path, first + second.substr(0, 15));
  EXPECT_THAT(error_of([&] { read_text_file(path); }), testing::HasSubstr("cut off"));
}

TEST(ReadTextFile, StopsIfAFileIsTooLong) {
  const TemporaryFolder folder;
  const std::string path = folder / "long.gz";
  gzip(path, std::string(10'000'000, 'a'));
  EXPECT_EQ(error_of([&] { read_text_file(path, 1'000); }),
            path + ": the text is longer than 1000 bytes; split the file");
}

}  // namespace
}  // namespace cavs

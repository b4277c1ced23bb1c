#include "support/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "cavs/error.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

void write(const std::string& path, std::string_view first, std::string_view second = "") {
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(first)), std::as_bytes(std::span(second))};
  write_file_atomically(path, parts);
}

std::string read(const std::string& path, std::uint64_t max = 1000) {
  const std::vector<std::byte> bytes = read_file(path, max);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

auto refusal(const std::string& message) { return ThrowsMessage<UserError>(HasSubstr(message)); }

/// Runs f in a child process. @return true if f returned
bool survives(const std::function<void()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    f();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(WriteFileAtomically, WritesAllPartsAndLeavesNothingElse) {
  const TemporaryFolder folder;
  write(folder / "a", "one, ", "two");
  EXPECT_EQ(read(folder / "a"), "one, two");
  write(folder / "a", "3");
  EXPECT_EQ(read(folder / "a"), "3");
  EXPECT_EQ(folder.files(), 1);
}

TEST(WriteFileAtomically, OverwritesTheRemainsOfAKilledSave) {
  const TemporaryFolder folder;
  write(folder / "a.tmp", "a long and stale beginning");
  write(folder / "a", "new");
  EXPECT_EQ(read(folder / "a"), "new");
  EXPECT_EQ(folder.files(), 1);
}

TEST(WriteFileAtomically, KeepsTheOldFileIfTheNewOneIsTooLarge) {
  const TemporaryFolder folder;
  write(folder / "a", "former");
  EXPECT_TRUE(survives([&] {
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      write(folder / "a", std::string(1000, 'x'));
      ::_exit(1);
    } catch (const UserError& error) {
      if (std::string_view(error.what()).find("raise the limit on the size of files") == std::string_view::npos)
        ::_exit(2);
    }
  }));
  EXPECT_EQ(read(folder / "a"), "former");
  EXPECT_EQ(folder.files(), 1);
}

TEST(WriteFileAtomically, RefusesPathsToWhichItCannotSave) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { write(folder / "none/a", "x"); }, refusal("there is no directory '"));
  EXPECT_THAT([&] { write(folder / "", "x"); }, refusal("expected the path of a file"));
  EXPECT_THAT([&] { write("", "x"); }, refusal("expected the path of a file"));
  EXPECT_THAT([&] { write("/dev/null", "x"); },
              refusal("/dev/null: cannot save: this is a device; expected the path of a file"));
  EXPECT_EQ(folder.files(), 0);
}

TEST(WriteFileAtomically, RefusesWhileAnotherProcessIsSaving) {
  const TemporaryFolder folder;
  const int other = ::open((folder / "a.tmp").c_str(), O_WRONLY | O_CREAT, 0666);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_THAT([&] { write(folder / "a", "x"); }, refusal("another process is saving to this file"));
  ::close(other);
  write(folder / "a", "x");
  EXPECT_EQ(read(folder / "a"), "x");
}

TEST(WriteFileAtomically, FollowsASymbolicLink) {
  const TemporaryFolder folder;
  write(folder / "target", "old");
  std::filesystem::create_symlink(folder / "target", folder / "link");
  write(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read(folder / "target"), "new");
}

TEST(ReadFile, RefusesFilesThatAreNotRegular) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { read(folder / ""); }, refusal("expected a file, found a directory; give a file in it"));
  EXPECT_THAT([&] { read(folder / "pipe"); }, refusal("found a device or a pipe; the file must be a regular file"));
  EXPECT_THAT([] { read("/dev/zero"); }, refusal("found a device or a pipe; the file must be a regular file"));
}

/// The system would open "a".
TEST(Paths, MustNotContainAZeroByte) {
  const TemporaryFolder folder;
  write(folder / "a", "x");
  const std::string path = (folder / "a") + std::string("\0b", 2);
  EXPECT_THAT([&] { read(path); }, refusal("a\\x00b': expected the path of a file, found a zero byte in it"));
  EXPECT_THAT([&] { write(path, "y"); }, refusal("found a zero byte in it"));
  EXPECT_EQ(read(folder / "a"), "x");
}

TEST(ReadFile, SuggestsWhatToDoAboutAMissingFile) {
  const TemporaryFolder folder;
  write(folder / "train.txt", "x");
  const auto missing = [&](const std::string& path) { return [=] { read_file(path, 9, "a list of words"); }; };
  EXPECT_THAT(missing(folder / "words"), refusal("words: cannot open the file: No such file or directory; expected a "
                                                 "list of words; check its name and directory"));
  EXPECT_THAT(missing(folder / "trian.txt"),
              refusal("trian.txt: cannot open the file: No such file or directory; expected a list of words; did you "
                      "mean '" +
                      (folder / "train.txt") + "'?"));
  std::filesystem::create_directory(folder / "words_");
  EXPECT_THAT(missing(folder / "words"), refusal("check its name and directory")) << "a directory is not suggested";
  std::filesystem::create_symlink("nowhere", folder / "link");
  EXPECT_THAT(missing(folder / "link"), refusal("it is a link to 'nowhere', which does not exist"));
  EXPECT_THAT(missing(folder / "a/train.txt"), refusal("No such file or directory; expected a list of words; there "
                                                       "is no directory '" +
                                                       (folder / "a") + "': check the path"));
  EXPECT_THAT(missing(folder / "train.txt/a"), refusal("Not a directory; expected a list of words; check the path"));
  EXPECT_THAT(missing(""), refusal("check its name and directory"));
}

TEST(DescribeFile, ShowsTheStartOfItsFirstLine) {
  EXPECT_EQ(describe_file(""), "an empty file");
  EXPECT_EQ(describe_file("one line\nand more"), "a file that begins with 'one line'");
  EXPECT_EQ(describe_file("\nand more"), "a file that begins with '\\x0Aand more'");
  EXPECT_EQ(describe_file(std::string(100, 'x')), "a file that begins with '" + std::string(16, 'x') + "'");
  EXPECT_EQ(describe_file(std::string_view("PK\x03\xFF\0", 5)), "a file that begins with 'PK\\x03\\xFF\\x00'");
}

TEST(ReadFile, RefusesFilesThatAreTooLong) {
  const TemporaryFolder folder;
  write(folder / "a", "12345");
  EXPECT_EQ(read(folder / "a", 5), "12345");
  EXPECT_THAT([&] { read(folder / "a", 4); }, refusal("has 5 bytes; at most 4"));
}

}  // namespace
}  // namespace cavs

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cavs/error.h"
#include "cavs/files.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

auto refused_path(const std::string& message) { return ThrowsMessage<UserError>(HasSubstr(message)); }

void write_text(const std::string& path, std::string_view text) {
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  write_file_atomically(path, parts);
}

TEST(OutputPath, CannotBeAPipeThatAProcessHasOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_THAT([&] { output_path("/proc/self/fd/" + std::to_string(ends[1])); },
              refused_path("this is a pipe; expected the path of a file"));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(OutputPath, FollowsLinksToFilesThatDoNotExistYet) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "runs");
  fs::create_symlink("runs/1", folder / "last");
  fs::create_symlink("last", folder / "link");
  EXPECT_EQ(output_path(folder / "link").file, folder / "runs/1");
  write_text(folder / "link", "x");
  EXPECT_TRUE(fs::is_symlink(folder / "link") && fs::is_symlink(folder / "last"));
  EXPECT_TRUE(fs::is_regular_file(folder / "runs/1"));
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_THAT([&] { output_path(folder / "a"); }, refused_path("it is a loop of symbolic links"));
}

TEST(OutputPath, FindsAShortTemporaryNameForALongPath) {
  const TemporaryFolder folder;
  const std::string longest(255, 'x');
  for (const std::string& name : {longest.substr(0, 251), longest.substr(0, 252), longest}) {
    const OutputPath output = output_path(folder / name);
    EXPECT_LE(fs::path(output.temporary).filename().string().size(), 255U);
    EXPECT_LE(fs::path(output.lock).filename().string().size(), 255U);
    write_text(folder / name, "x");
    EXPECT_TRUE(fs::is_regular_file(folder / name));
  }
  EXPECT_NE(output_path(folder / longest).temporary, output_path(folder / (longest.substr(1) + "y")).temporary);
  EXPECT_THAT([&] { output_path(folder / (longest + "x")); },
              refused_path("the name has 256 bytes; at most 255 are possible"));
}

TEST(OutputPath, RefusesIfTheTemporaryNameIsTaken) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe.tmp").c_str(), 0600), 0);
  fs::create_directory(folder / "directory.tmp");
  write_text(folder / "mine", "mine");
  fs::create_symlink("mine", folder / "link.tmp");
  EXPECT_THAT([&] { write_text(folder / "pipe", "x"); }, refused_path("pipe.tmp is a pipe"));
  EXPECT_THAT([&] { write_text(folder / "directory", "x"); }, refused_path("is a directory; remove it"));
  EXPECT_THAT([&] { write_text(folder / "link", "x"); }, refused_path("is a symbolic link; remove it"));
  EXPECT_EQ(fs::file_size(folder / "mine"), 4U);
}

TEST(FileLock, BelongsToOneProcessAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string lock = output_path(folder / "a").lock;
  {
    const FileLock held("a", lock);
    EXPECT_THAT([&] { FileLock("a", lock); }, refused_path("a: another process is saving to this file; stop it"));
    write_text(folder / "a", "x");
    EXPECT_THAT([&] { FileLock("a", lock); }, refused_path("another process"))
        << "the file was replaced but the lock remains";
  }
  EXPECT_EQ(folder.files(), 1) << "only the file";
  std::ofstream(lock).flush();  // as left by a killed process
  EXPECT_NO_THROW(FileLock("a", lock));
  std::ofstream(lock) << "somebody's";
  EXPECT_NO_THROW(FileLock("a", lock));
  EXPECT_TRUE(fs::exists(lock)) << "not ours";
}

}  // namespace
}  // namespace cavs

// Running out of memory gives an error of one line. Files stay complete, and the command can be repeated.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <regex>
#include <set>

#include "helpers/allocations.h"
#include "helpers/sanitizer.h"
#include "run_here.h"
#include "support/temporary_folder.h"

namespace cavs::cli {
namespace {

namespace fs = std::filesystem;

class CommandOutOfMemory : public testing::Test {
 protected:
  using Files = std::map<std::string, std::string>;  // contents of files, by name
  const TemporaryFolder folder_{folder_in_memory()};

  Ran train(int epochs) const {
    std::vector<std::string> arguments{"train",       "tree-lstm",
                                       "--data",      "listops:train=6,test=4,length=6",
                                       "--hidden",    "6",
                                       "--metric",    "loss",
                                       "--save",      folder_ / "a",
                                       "--save-best", folder_ / "best",
                                       "--history",   folder_ / "h",
                                       "--curve",     folder_ / "c",
                                       "--epochs",    std::to_string(epochs),
                                       "--overwrite"};
    if (fs::exists(folder_ / "a")) arguments.insert(arguments.end(), {"--resume", folder_ / "a"});
    return run_here(arguments);
  }
  /// The files without times, which differ between runs.
  Files files() const {
    static const std::regex kSeconds(R"re("(seconds|samples_per_second)":[^,}]*)re");
    Files files;
    for (const auto& entry : fs::directory_iterator(folder_ / "")) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}}, name = entry.path().filename();
      files[name] = name == "h" ? std::regex_replace(text, kSeconds, "") : text;
    }
    return files;
  }
};

TEST_F(CommandOutOfMemory, LeavesFilesCompleteAndCanBeRepeated) {
  const TemporaryFolder kept;
  const auto copy = [](const TemporaryFolder& from, const TemporaryFolder& to) {
    fs::copy(from / "", to / "", fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  };
  ASSERT_EQ(train(1).code, 0);
  copy(folder_, kept);
  const Files before = files();
  ASSERT_EQ(train(2).code, 0);
  const Files after = files();
  copy(kept, folder_);
  Ran ran;
  std::set<std::set<std::string>> states;  // sets of names of new files
  const auto goes_on = [&] {
    const Files now = files();
    ASSERT_EQ(ran.code, now == after ? ran.code : 1) << ran.err;
    ASSERT_EQ(now.size(), after.size());
    if (ran.code != 0) {
      ASSERT_THAT(ran.err, testing::ContainsRegex("cavs: error: .*(out of memory|do not fit into memory)"));
    }
    std::set<std::string> state;
    for (const auto& [name, text] : now) {
      const bool is_new = text == after.at(name);
      ASSERT_TRUE(is_new || text == before.at(name)) << name;
      if (is_new) state.insert(name);
    }
    if (states.insert(state).second) {
      ASSERT_EQ(train(2).code, 0);
      ASSERT_EQ(files(), after);
    }
    copy(kept, folder_);
  };
  const auto failing = [&] {
    try {
      ran = train(2);
    } catch (const std::bad_alloc&) {  // thrown by the constructor; main() catches it
      ran = {1, "", "cavs: error: out of memory"};
    }
  };
  EXPECT_GT(fail_each_allocation(failing, goes_on, kSanitized ? 17 : 1, kLargerThanJson), 200);
  EXPECT_THAT(states, testing::IsSupersetOf(std::vector<std::set<std::string>>{{}, {"best", "h"}}));
  if (!kSanitized) {  // a sanitizer makes fewer allocations fail
    EXPECT_THAT(states, testing::Contains(std::set<std::string>{"a", "best", "h"}));
  }
}

}  // namespace
}  // namespace cavs::cli

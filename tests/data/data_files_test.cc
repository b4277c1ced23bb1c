// data_files() lists exactly the files that loading a spec reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cavs/data.h"
#include "data/data_kinds.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kRoot = "1\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";

/// A spec of each kind, in which @ is a folder, and the contents of the files by the ends of their names.
struct Case {
  std::string kind, spec;
  std::vector<std::pair<std::string, std::string>> files;
};
const std::vector<Case> kCases{
    {"sst", "@", {{"train.txt", "(1 (0 a) (1 b))\n"}, {"dev.txt", "(1 (0 a) (1 b))\n"}}},
    {"trees", "train=@/a,dev=@/b,c=d", {{"a", "(1 (0 a) (1 b))\n"}, {"b,c=d", "(1 (0 a) (1 b))\n"}}},
    {"jsonl", "@/a", {{"a", "{\"children\":[[]],\"label\":[0]}\n"}}},
    {"table", "train=@/a,dev=@/b,text=x,label=y", {{"a", "x,y\none,1\n"}, {"b", "x,y\ntwo,1\n"}}},
    {"table", "@/a,tree=x,label=y", {{"a", "x,y\nb,1\nc/d,1\n"}, {"b", "(1 e)\n"}, {"c/d", "(1 f)\n"}}},
    {"text", "train=@/a,dev=@/b,vocabulary=9", {{"a", "one two\n"}, {"b", "two\n"}}},
    {"conll", "train=@/a,dev=@/b,tags=iob2", {{"a", "John I-PER\n"}, {"b", "Jim I-PER\n"}}},
    {"conllu", "@/a,label=upos", {{"a", kRoot}}},
    {"parallel", "train=@/a+@/b,dev=@/c+@/d", {{"a", "x\n"}, {"b", "y\n"}, {"c", "x\n"}, {"d", "y\n"}}},
    {"listops", "train=@/a,dev=@/b", {{"a", "[MAX 1 2]\n"}, {"b", "[MIN 1 2]\t1\n"}}},
    {"lattice", "train=@/a,dev=@/b,lexicon=@/l", {{"a", "x\tO\n"}, {"b", "y\tO\n"}, {"l", "xy\n"}}},
    {"weibo",
     "@",
     {{"weiboNER_2nd_conll.train", "a0\tO\n"}, {"weiboNER_2nd_conll.dev", "a0\tO\n"}, {"lexicon.txt", "ab\n"}}},
    {"sick",
     "@",
     {{"train/a.toks", "x\n"},
      {"train/a.parents", "0\n"},
      {"train/b.toks", "x\n"},
      {"train/b.parents", "0\n"},
      {"train/sim.txt", "3\n"},
      {"dev/a.toks", "x\n"},
      {"dev/a.parents", "0\n"},
      {"dev/b.toks", "x\n"},
      {"dev/b.parents", "0\n"},
      {"dev/sim.txt", "3\n"}}},
};

std::string spec_in(const Case& c, const TemporaryFolder& folder) {
  std::string spec = c.kind + ":" + c.spec;
  for (auto at = spec.find('@'); at != spec.npos; at = spec.find('@'))
    spec.replace(at, 1, (folder / "").substr(0, (folder / "").size() - 1));
  return spec;
}

TEST(DataFiles, AreTheFilesThatLoadingReads) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.kind);
    const TemporaryFolder folder;
    std::vector<std::string> written;
    for (const auto& [name, text] : c.files) {
      fs::create_directories(fs::path(folder / name).parent_path());
      std::ofstream(folder / name) << text;
      written.push_back(folder / name);
    }
    const std::string spec = spec_in(c, folder);
    EXPECT_EQ(data_files(spec), written);
    EXPECT_NO_THROW(load_data(spec));
    for (const std::string& file : written) {
      fs::rename(file, folder / "aside");
      EXPECT_NE(error_of([&] { load_data(spec); }), "no UserError") << file << " is not read";
      fs::rename(folder / "aside", file);
    }
  }
}

TEST(DataFiles, AreListedForEveryKindThatReadsFiles) {
  for (const DataKind& kind : all_data_kinds()) {
    const bool tested = std::ranges::find(kCases, kind.name, &Case::kind) != kCases.end();
    EXPECT_EQ(kind.files != nullptr, tested) << kind.name;
    EXPECT_TRUE(tested || data_files(std::string(kind.name)).empty()) << kind.name;
  }
}

TEST(DataFiles, MayHaveAPlusInTheirNames) {
  const TemporaryFolder folder;
  const auto written = [](const std::string& path) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << "a\n";
    return path;
  };
  const std::string x = written(folder / "c++/x"), y = written(folder / "c++/y"), z = folder / "c++/z";
  EXPECT_EQ(data_files("parallel:" + x + "+" + y), (std::vector<std::string>{x, y}));
  EXPECT_EQ(load_data("parallel:" + x + "+" + y).train.size(), 1);
  EXPECT_THAT(
      error_of([&] { load_data("parallel:" + x + "+" + z); }),
      HasSubstr("expected SOURCE+TARGET with two existing files, but none of its 5 '+' separates such files; check"));
  written(x + "+" + y);
  written(y + "+" + z);
  written(z);
  EXPECT_THAT(error_of([&] { load_data("parallel:" + x + "+" + y + "+" + z); }),
              HasSubstr("rename a file to make it unique"));
}

TEST(DataFiles, MustNotHaveAZeroByteInTheirNames) {
  const std::string spec("table:a\0b", 9);
  for (const auto& read :
       {std::function<void()>([&] { load_data(spec); }), std::function<void()>([&] { data_files(spec); })})
    EXPECT_THAT(error_of(read), HasSubstr("data 'table:a\\x00b': expected KIND:NAMES; found a zero byte"));
}

}  // namespace
}  // namespace cavs

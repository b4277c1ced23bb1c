// Every reader with every kind of file that occurs in practice: read correctly, refused with advice, or not applicable.

#include <gmock/gmock.h>

#include <array>
#include <fstream>

#include "cavs/data.h"
#include "data/sick.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::HasSubstr;
using Labels = std::vector<std::int32_t>;

constexpr std::array kReaders{"conll", "conllu",   "lattice", "trees", "listops", "table",
                              "jsonl", "parallel", "text",    "sick",  "vectors"};
constexpr const char *kReturn = "carriage return inside a line", *kUnequal = "unequal columns",
                     *kMark = "byte order marks inside", *kBlank = "a blank inside a token", *kNone = "no label",
                     *kZeros = "leading zeros", *kOne = "one class alone", *kGaps = "gaps between classes",
                     *kCycle = "cycles", *kLarge = "large integers", *kBytes = "no UTF-8", *kEmpty = "nothing";
constexpr std::array kKinds{kReturn, kUnequal, kMark,  kBlank, kNone,  kZeros,
                            kOne,    kGaps,    kCycle, kLarge, kBytes, kEmpty};

/// How a reader handles a kind of file.
struct Cell {
  std::string reader;  // name and options of the spec
  std::string kind, text;
  std::optional<Labels> labels = std::nullopt;  // of the training set; nullopt if the file is refused
  std::string says = "";                        // a part of the warnings, or of the error if the file is refused
};

/// A combination that does not apply, with the reason.
struct NoCell {
  std::string kind;
  std::vector<std::string> readers;
  std::string because;
};

const std::string kBom = "\xEF\xBB\xBF", kInside = ":1: found a carriage return in column ";
const std::string kBig = "12345678901234567890";

std::string word(const std::string& id, const std::string& form, const std::string& tag, const std::string& head) {
  return id + "\t" + form + "\t_\t" + tag + "\t_\t_\t" + head + "\tx\t_\t_\n";
}
std::string labelled(const std::string& labels) { return R"({"children":[[],[]],"label":[)" + labels + "]}"; }

std::vector<Cell> cells() {
  return {
      {"conll", kReturn, "x B-A\ry O\nz O\n", {}, "a" + kInside + "6, inside the line"},
      {"conllu", kReturn, word("1", "x\ry", "N", "0"), {}, "a" + kInside + "4"},
      {"lattice", kReturn, "x O\ry O\n", {}, "a" + kInside + "4"},
      {"trees", kReturn, "(1 (0 a)\r(0 b))", Labels{1, 0, 0}},
      {"listops", kReturn, "[MAX 1 2]\t2\r[MIN 1 2]\t1\n", {}, "a" + kInside + "12"},
      {"table", kReturn, "t,y\nu\rv,1\n", {}, "a:2: found a carriage return in column 2"},
      {"jsonl", kReturn, "{\"children\":[[]],\r\"label\":[0]}", Labels{0}, "of one class"},
      {"parallel", kReturn, "v\rw\n", {}, "a" + kInside + "2"},
      {"text", kReturn, "u v\rw\n", {}, "a" + kInside + "4"},
      {"sick", kReturn, "x\ry\f1\f4\n", {}, "toks" + kInside + "2"},
      {"vectors", kReturn, "x 1 2\ry 1 2\n", {}, kInside + "6"},

      {"conll", kUnequal, "x O\nNew York O\n", {}, "a:2: 3 columns, but line 1 has 2; expected the same number"},
      {"conllu", kUnequal, "1\tx\t_\n", {}, "a:1: expected 10 columns separated by tabs, found 3"},
      {"lattice", kUnequal, "x O\ny z O\n", {}, "a:2: 3 columns"},
      {"listops", kUnequal, "[MAX 1 2]\t2\tx\n", {}, "a:1: expected an expression and its value"},
      {"table", kUnequal, "t,y\nu,1,2\n", {}, "a:2: the row has 3 fields; expected 2"},
      {"sick", kUnequal, "x y\f0\f4\n", {}, "heads:1: 1 heads for a sentence of 2 words"},
      {"vectors", kUnequal, "x 1 2\ny 1\n", {}, ":2: 'y' has 1 numbers; expected 2, as in the first line"},

      {"conll", kMark, kBom + "x B-A\n" + kBom + "y O\n", Labels{1, 0}},
      {"conllu", kMark, kBom + word("1", "x", "N", "0") + "\n" + kBom + "# c\n" + kBom + word("1", "x", "V", "0"),
       Labels{0, 1}},
      {"lattice", kMark, "x B-A\n" + kBom + "y O\n", Labels{-1, -1, 1, -1, 0}},
      {"trees", kMark, kBom + "(1 a)\n" + kBom + "(0 b)\n", Labels{1, 0}},
      {"listops", kMark, kBom + "[MAX 1 2]\n" + kBom + "[MIN 1 2]\n", Labels{2, -1, -1, 1, -1, -1}, "8 of 10 classes"},
      {"table", kMark, kBom + "t,y\nu,1\n" + kBom + "v,0\n", Labels{1, 0}},
      {"jsonl", kMark, labelled("0,1") + "\n" + kBom + labelled("1,0") + "\n", Labels{0, 1, 1, 0}},
      {"parallel", kMark, "u\n" + kBom + "v\n", Labels{-1, 2, 1, -1, 3, 1}},
      {"text", kMark, "u\n" + kBom + "v\n", Labels{2, 1, 3, 1}},
      {"sick", kMark, kBom + "x\f" + kBom + "0\f" + kBom + "4\n", Labels{-1}},
      {"vectors", kMark, kBom + "2 1\nx 1\n" + kBom + "y 2\n", Labels{1, 2}},

      {"conll", kBlank, "New York\tB-A\nis\tO\n", Labels{1, 0}},
      {"conllu", kBlank, word("1", "New York", "N", "0"), Labels{0}, "of one class"},
      {"lattice", kBlank, "x y\tB-A\nz\tO\n", Labels{-1, -1, 1, -1, 0}},
      {"jsonl", kBlank, R"({"children":[[],[]],"pull":{"word":["New York","is"]},"label":[0,1]})", Labels{0, 1}},
      {"vectors", kBlank, "x 1\nx y 2\ny 2\n", Labels{1, 2}},

      {"conll", kNone, "x B-A\ny _\nz\t-1\nw O\n", Labels{1, -1, -1, 0}},
      {"conllu", kNone, word("1", "x", "N", "0") + word("2", "y", "_", "1") + word("3", "z", "", "1"),
       Labels{0, -1, -1}, "of one class"},
      {"lattice", kNone, "x B-A\ny _\n", Labels{-1, -1, 0, -1, -1}, "of one class"},
      {"trees", kNone, "(N (_ a) (-1 b) (c))", Labels{0, -1, -1, -1}, "of one class"},
      {"listops", kNone, "[MAX 1 2]\t_\n", Labels{2, -1, -1}, "9 of 10 classes"},
      {"table", kNone, "t,y\nu,1\nu,-1\nu,_\nu,\nu,0\n", Labels{1, -1, -1, -1, 0}},
      {"jsonl", kNone, labelled(R"("N","_")") + "\n" + labelled(R"(null,-1)"), Labels{0, -1, -1, -1}, "of one class"},
      {"sick", kNone, "x\f0\f_\n", Labels{-1}},

      {"conll,tags=none", kZeros, "x 01\ny 1\n", Labels{0, 1}},
      {"conllu", kZeros, word("1", "x", "01", "0") + word("2", "y", "1", "1"), Labels{0, 1}},
      {"lattice,tags=none", kZeros, "x 01\ny 1\n", Labels{-1, -1, 0, -1, 1}},
      {"trees", kZeros, "(01 a)\n(1 b)\n", {}, "a:1: the label '01' is a name, but other labels"},
      {"listops", kZeros, "[MAX 1 2]\t02\n", {}, "a:1: the value is given as '02'"},
      {"table", kZeros, "t,y\nu,01\nv,1\n", Labels{0, 1}},
      {"jsonl", kZeros, labelled(R"("01","1")"), Labels{0, 1}},

      {"conll", kOne, "x B-A\ny B-A\n", Labels{0, 0}, "all 2 labels of the training data are of one class, 'B-A'"},
      {"conllu", kOne, word("1", "x", "N", "0"), Labels{0}, "of one class, 'N'"},
      {"lattice", kOne, "x O\n", Labels{-1, -1, 0}, "of one class, 'O'"},
      {"trees", kOne, "(1 a)", Labels{1}, "of one class, '1'"},
      {"listops", kOne, "[MAX 1 2]\n", Labels{2, -1, -1}, "9 of 10 classes have no label"},
      {"table", kOne, "t,y\nu,x\n", Labels{0}, "of one class, 'x'"},
      {"jsonl", kOne, labelled(R"("N","N")"), Labels{0, 0}, "of one class, 'N'"},

      {"trees", kGaps, "(0 (7 a) (0 b))", Labels{0, 7, 0}, "6 of 8 classes have no label in the training data: 1, 2"},
      {"listops", kGaps, "[MAX 1 2]\n[MIN 5 9]\n", Labels{2, -1, -1, 5, -1, -1}, "8 of 10 classes have no label"},
      {"table", kGaps, "t,y\nu,0\nv,1000\n", Labels{0, 1000}, "999 of 1001 classes have no label"},
      {"jsonl", kGaps, labelled("0,7"), Labels{0, 7}, "6 of 8 classes have no label"},

      {"conllu",
       kCycle,
       word("1", "x", "N", "2") + word("2", "y", "N", "1") + word("3", "z", "N", "0"),
       {},
       "a:1: the heads of word 1 form a cycle; its head is 2"},
      {"jsonl", kCycle, R"({"children":[[1],[0]]})", {}, "edges in both directions"},
      {"sick", kCycle, "x y z\f2 1 0\f4\n", {}, "heads:1: the heads of word 1 form a cycle; its head is 2"},

      {"conll,tags=none", kLarge, "x 1\ny " + kBig + "\n", Labels{0, 1}},
      {"conllu", kLarge, word(kBig, "x", "N", "0"), {}, "found the ID '" + kBig},
      {"lattice,tags=none", kLarge, "x 1\ny " + kBig + "\n", Labels{-1, -1, 0, -1, 1}},
      {"trees",
       kLarge,
       "(" + kBig + " a)",
       {},
       "a:1: label out of range; expected 0 to 999999, or -1 for none, found " + kBig},
      {"listops", kLarge, "[MAX " + kBig + " 1]\n", {}, "found '" + kBig},
      {"table", kLarge, "t,y\nu,1\nv," + kBig + "\n", Labels{0, 1}},
      {"jsonl",
       kLarge,
       R"({"children":[[]],"pull":{"word":[)" + kBig + "]}}",
       {},
       "found " + kBig + ", which is too large"},
      {"parallel", kLarge, kBig + "\n", Labels{-1, 2, 1}},
      {"text", kLarge, kBig + "\n", Labels{2, 1}},
      {"sick", kLarge, "x\f" + kBig + "\f4\n", {}, "heads:1: expected a number 0 to 1, found '" + kBig},
      {"vectors", kLarge, kBig + " 1\nx 1\n", Labels{1}},

      {"conll",
       kBytes,
       "x O\n\xE9 O\n",
       {},
       "a:2: expected UTF-8, found the byte 0xE9; convert the file (iconv -f ENC"},
      {"conllu", kBytes, word("1", "\xE9", "N", "0"), {}, "a:1: expected UTF-8"},
      {"lattice", kBytes, "\xE9 O\n", {}, "a:1: expected UTF-8"},
      {"trees", kBytes, "(1 \xE9)", {}, "a:1: expected UTF-8"},
      {"listops", kBytes, "[MAX \xE9 1]", {}, "a:1: expected UTF-8"},
      {"table", kBytes, "t,y\n\xE9,1\n", {}, "a:2: expected UTF-8"},
      {"jsonl", kBytes, "{\"children\":[[]],\"pull\":{\"word\":[\"\xE9\"]}}", {}, "a:1: expected UTF-8"},
      {"parallel", kBytes, "\xE9\n", {}, "a:1: expected UTF-8"},
      {"text", kBytes, "\xE9\n", {}, "a:1: expected UTF-8"},
      {"sick", kBytes, "\xE9\f0\f4\n", {}, "toks:1: expected UTF-8"},
      {"vectors", kBytes, "x 1\n\xE9 2\ny 2\n", Labels{1, 2}},

      {"conll", kEmpty, "", {}, "a:1: no sentence; expected a token and its tag"},
      {"conllu", kEmpty, "", {}, "a:1: no sentence"},
      {"lattice", kEmpty, "", {}, "a:1: no sentence"},
      {"trees", kEmpty, "", {}, "a:1: no tree; expected one such as"},
      {"listops", kEmpty, "", {}, "a:1: no expression; expected one such as"},
      {"table", kEmpty, "", {}, "a: no row; expected names of columns"},
      {"jsonl", kEmpty, "", {}, "a:1: no graph; expected a line such as"},
      {"parallel", kEmpty, "", {}, "a:1: no word; expected a sentence"},
      {"text", kEmpty, "", {}, "a:1: no word; expected a sentence"},
      {"sick", kEmpty, "", {}, "toks:1: no word; expected a sentence"},
      {"vectors", kEmpty, "", {}, ": no word; expected word vectors"},
  };
}

const NoCell kNoCells[] = {
    {kUnequal, {"trees"}, "a tree has brackets, and no columns"},
    {kUnequal, {"jsonl"}, "a line is one object, and has no columns"},
    {kUnequal, {"parallel", "text"}, "a line is a sentence of any length"},
    {kBlank, {"trees", "table", "parallel", "text", "sick"}, "blanks separate the words of a text"},
    {kBlank, {"listops"}, "a token is a digit, an operator or a bracket"},
    {kNone, {"parallel", "text"}, "labels are the words themselves"},
    {kNone, {"vectors"}, "vectors have no labels"},
    {kZeros, {"parallel", "text"}, "words are never numbers"},
    {kZeros, {"sick", "vectors"}, "there are no classes, but numbers: 01 is the number 1"},
    {kOne, {"parallel", "text"}, "classes are the words themselves"},
    {kOne, {"sick", "vectors"}, "there are no classes"},
    {kGaps, {"conll", "conllu", "lattice"}, "classes are the names that the data have"},
    {kGaps, {"parallel", "text"}, "classes are the words that the data have"},
    {kGaps, {"sick", "vectors"}, "there are no classes"},
    {kCycle, {"conll", "lattice", "parallel", "text"}, "a sentence has one order"},
    {kCycle, {"trees", "listops"}, "brackets cannot express any"},
    {kCycle, {"table", "vectors"}, "a row is not connected to another"},
};

struct Found {
  Labels labels;
  std::string warnings;
};

/// Reads texts between form feeds. The labels are the heads of the first sentences.
Found sick_found(const std::string& text) {
  std::string_view rest = text;
  const auto take = [&] {
    const std::string part(rest.substr(0, rest.find('\f')));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
  };
  const SickTexts::File tokens{"toks", take()}, heads{"heads", take()};
  const SickTexts texts{tokens, heads, tokens, heads, {"scores", take()}};
  return {parse_sick(texts).at(0).a.heads, ""};
}

/// The labels are the ids of the words found.
Found vectors_found(const std::string& text) {
  const TemporaryFolder folder;
  std::ofstream(folder / "v") << text;
  return {load_vectors(folder / "v", Vocabulary({"<unk>", "x", "y"})).ids, ""};
}

Found found_by(const std::string& reader, const std::string& text) {
  if (reader == "sick") return sick_found(text);
  if (reader == "vectors") return vectors_found(text);
  const auto comma = std::min(reader.find(','), reader.size());
  const std::string name = reader.substr(0, comma);
  const std::string files = name == "parallel"  ? ":a+a"
                            : name == "lattice" ? ":a,lexicon=l"
                            : name == "table"   ? ":a,text=t,label=y"
                                                : ":a";
  std::map<std::string, std::string> texts{{"a", text}};
  if (name == "lattice") texts.emplace("l", "zz\n");
  DataOptions options;
  options.texts = &texts;
  const Dataset data = load_data(name + files + reader.substr(comma), options);
  const auto& ports = data.train.schema().index_ports;
  const auto labels = data.train.index_pulls(std::ranges::find(ports, "label") - ports.begin());
  Found found{{labels.begin(), labels.end()}, ""};
  for (const std::string& warning : data.warnings) found.warnings += warning + "\n";
  return found;
}

TEST(ReadersAndKinds, AreReadCorrectlyOrRefusedWithAdvice) {
  for (const Cell& cell : cells()) {
    SCOPED_TRACE(cell.reader + ", " + cell.kind);
    const std::string error = error_of([&] { found_by(cell.reader, cell.text); });
    if (!cell.labels) {
      EXPECT_THAT(error, HasSubstr(cell.says));
      continue;
    }
    ASSERT_EQ(error, "no UserError");
    const Found found = found_by(cell.reader, cell.text);
    EXPECT_EQ(found.labels, *cell.labels);
    EXPECT_THAT(found.warnings, HasSubstr(cell.says));
    EXPECT_EQ(found.warnings.empty(), cell.says.empty()) << found.warnings;
  }
}

TEST(ReadersAndKinds, HaveOneEntryPerCombination) {
  for (const std::string reader : kReaders)
    for (const std::string kind : kKinds) {
      std::int64_t count = std::ranges::count_if(cells(), [&](const Cell& cell) {
        return cell.kind == kind && cell.reader.substr(0, cell.reader.find(',')) == reader;
      });
      for (const NoCell& cell : kNoCells) {
        EXPECT_NE(cell.because, "");
        if (cell.kind == kind) count += std::ranges::count(cell.readers, reader);
      }
      EXPECT_EQ(count, 1) << reader << ", " << kind;
    }
}

TEST(ReadersAndKinds, CompressedFilesAreNamedWithTheirCommands) {
  const std::pair<std::string, const char*> kinds[] = {{std::string("\xFD") + "7zXZ" + std::string(2, '\0'), "xz -d"},
                                                       {"(\xB5/\xFD$*Q\x01", "zstd -d"},
                                                       {"BZh91AY&SY\xE5\x01", "bzip2 -d"},
                                                       {"PK\x03\x04\xFF", "unzip"},
                                                       {"\xFF\xFEx\x01", "iconv -f UTF-16 -t UTF-8"}};
  for (const char* reader : kReaders)
    for (const auto& [bytes, command] : kinds)
      EXPECT_THAT(error_of([&, &bytes = bytes] { found_by(reader, bytes); }), HasSubstr(command)) << reader;
}

}  // namespace
}  // namespace cavs

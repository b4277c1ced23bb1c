// Every reader's work is linear in its input. Searches and comparisons are counted, as times depend on the machine.

#include <gtest/gtest.h>

#include <functional>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "data/count_comparisons.h"
#include "data/sick.h"
#include "helpers/sanitizer.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

/// Reads texts of one form and of any size.
struct Reading {
  std::string name;
  std::function<void(const std::string&)> read;
  std::function<std::string(std::size_t)> text_of;  // a text of about this many bytes
};

std::function<void(const std::string&)> loads(const std::string& spec) {
  return [spec](const std::string& text) {
    const std::map<std::string, std::string> texts{{"a", text}};
    DataOptions options;
    options.texts = &texts;
    load_data(spec, options);
  };
}

std::function<std::string(std::size_t)> repeats(const std::string& before, const std::string& part,
                                                const std::string& after = "") {
  return [=](std::size_t bytes) {
    std::string text = before;
    while (text.size() < bytes) text += part;
    return text + after;
  };
}

void read_sick(const std::string& text) {
  const std::size_t words = split_words(text).size();
  std::string heads = "0";
  for (std::size_t i = 1; i < words; ++i) heads += " " + std::to_string(i);
  const SickTexts::File tokens{"tokens", text}, parents{"heads", heads};
  parse_sick({tokens, parents, tokens, parents, {"scores", "4"}});
}

void read_vectors(const std::string& text) {
  const TemporaryFolder folder(folder_in_memory());
  load_vectors(written(folder / "v", text), Vocabulary({"<unk>", "x", "y"}));
}

void predict_tags(const std::string& text) {
  SampleOptions options;
  options.words = Vocabulary({"<unk>", "x"});
  options.schema = chain_schema();
  options.class_names = {"O", "B-A"};
  parse_samples(text, std::move(options));
}

std::vector<Reading> readings() {
  const std::string table = "table:a,text=t,label=y";
  std::vector<Reading> all{
      {"a long cell", loads(table), repeats("t,y\n", "x", ",1\n")},
      {"a long cell in quotes", loads(table), repeats("t,y\n\"", "x\"\"", "\",1\n")},
      {"rows", loads(table), repeats("t,y\n", "x,1\ny,2\n")},
      {"columns", loads(table),
       [](std::size_t bytes) {
         const std::string row = repeats("t,y", ",\"ab\"")(bytes / 2);
         return row + "\n" + row + "\n";
       }},
      {"a long token", loads("conll:a"), repeats("", "x", " O\ny B-A\n")},
      {"a sentence", loads("conll:a"), repeats("", "x B-A\n")},
      {"sentences with comments", loads("conll:a,tags=none"), repeats("", "# x\ny B\nz O\n\n")},
      {"a long word", loads("conllu:a"), repeats("1\t", "x", "\t_\tN\t_\t_\t0\tr\t_\t_\n")},
      {"trees of words", loads("conllu:a"), repeats("", "# x\n1\tx\t_\tN\t_\t_\t0\tr\t_\t_\n\n")},
      {"characters", loads("lattice:a,words=0"), repeats("", "x0 O\ny1 B-A\n")},
      {"a long line", loads("text:a"), repeats("", "x")},
      {"lines", loads("text:a"), repeats("", "x y\n")},
      {"pairs of lines", loads("parallel:a+a"), repeats("", "x y\n")},
      {"a long leaf", loads("trees:a"), repeats("(1 ", "x", ")")},
      {"trees", loads("trees:a"), repeats("", "(1 (0 a) (1 b))\n")},
      {"blanks", loads("listops:a"), repeats("[MAX", " ", "1 2]\t2\n")},
      {"expressions", loads("listops:a"), repeats("", "( ( [MAX 2 ) ] )\t2\n")},
      {"blanks in JSON", loads("jsonl:a"), repeats("{\"children\":[[]]", " ", ",\"label\":[0]}\n")},
      {"lines of JSON", loads("jsonl:a"), repeats("", "{\"children\":[[],[0]],\"label\":[\"x\",\"y\"]}\n")},
      {"a pair of trees", read_sick, repeats("x", " x")},
      {"vectors", read_vectors, repeats("", "x 1 2\nz 3 4\n")},
      {"sentences that end in a tag", predict_tags, repeats("", "x x O\nx O\n")},
      {"columns without an end", predict_tags, repeats("", "x\tO\n")}};
  return all;
}

TEST(Readers, DoWorkInProportionToTheirInput) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has its own memchr";
  for (const Reading& reading : readings()) {
    std::vector<double> steps_per_byte;
    for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{2} << 20, std::size_t{4} << 20}) {
      const std::string text = reading.text_of(bytes);
      const std::int64_t before = comparisons() + bytes_searched();
      ASSERT_NO_THROW(reading.read(text)) << reading.name;
      const auto steps = static_cast<double>(comparisons() + bytes_searched() - before);
      steps_per_byte.push_back(steps / static_cast<double>(text.size()));
    }
    EXPECT_LT(steps_per_byte[2], 1.2 * steps_per_byte[0] + 0.1) << reading.name;
    EXPECT_LT(steps_per_byte[2], 100) << reading.name;
  }
}

}  // namespace
}  // namespace cavs

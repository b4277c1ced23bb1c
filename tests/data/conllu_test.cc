#include "data/conllu.h"

#include <gmock/gmock.h>

#include "data/dependency_graph.h"
#include "graphs/error_text.h"

namespace cavs {
namespace {

using testing::ElementsAre;

/// A line of CoNLL-U. Columns that the reader ignores are "_".
std::string line(const std::string& id, const std::string& form, const std::string& upos, const std::string& head,
                 const std::string& deprel) {
  return id + "\t" + form + "\t_\t" + upos + "\t_\t_\t" + head + "\t" + deprel + "\t_\t_\n";
}

TEST(Conllu, SkipsCommentsMultiwordTokensAndEmptyNodes) {
  const std::string text = "# text = Je mange du pain\n" + line("1", "Je", "PRON", "2", "nsubj") +
                           line("2", "mange", "VERB", "0", "root") + line("3-4", "du", "_", "_", "_") +
                           line("3", "de", "ADP", "5", "case") + line("4", "le", "DET", "5", "det") +
                           line("4.1", "bon", "ADJ", "_", "_") + line("5", "pain", "NOUN", "2", "obj") + "\n\n" +
                           line("1", "New York", "PROPN", "0", "root");
  const auto sentences = parse_conllu(text, "t", ConlluColumn::kUpos);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_THAT(sentences[0].tokens, ElementsAre("Je", "mange", "de", "le", "pain"));
  EXPECT_THAT(sentences[0].tags, ElementsAre("PRON", "VERB", "ADP", "DET", "NOUN"));
  EXPECT_THAT(sentences[0].heads, ElementsAre(1, -1, 4, 4, 1));
  EXPECT_EQ(sentences[0].line, 2);
  EXPECT_THAT(sentences[1].tokens, ElementsAre("New York"));
  EXPECT_EQ(sentences[1].line, 11);
  EXPECT_THAT(parse_conllu(text, "t", ConlluColumn::kDeprel)[0].tags,
              ElementsAre("nsubj", "root", "case", "det", "obj"));
}

TEST(Conllu, GivesATreeWhoseVerticesAreTheWords) {
  const std::vector<std::int32_t> heads{1, -1, 4, 4, 1}, words{7, 8, 9, 10, 11}, labels{0, 1, 2, 3, 4};
  GraphSet graphs(tree_schema());
  graphs.add(to_dependency_graph(heads, words, labels));
  EXPECT_THAT(graphs.types(), ElementsAre(0, 1, 0, 0, 1));
  EXPECT_THAT(graphs.child_begin(), ElementsAre(0, 0, 2, 2, 2, 4));
  EXPECT_THAT(graphs.children(), ElementsAre(0, 4, 2, 3));  // in the order of the sentence
  EXPECT_THAT(graphs.to_arrays().index_pulls, ElementsAre(words, labels));
}

TEST(Conllu, NamesTheLineOfAMistake) {
  const std::string a = line("1", "a", "X", "0", "root");
  expect_mistakes(
      {{"1 a _ X _ _ 0 root _ _\n", "1: expected 10 columns separated by tabs, found 1 in '1 a _ X _ _ 0 root _ _'"},
       {line("2", "a", "X", "0", "root"), "1: expected word 1 of its sentence, found the ID '2'"},
       {line("1", "", "X", "0", "root"), "1: column 2 is empty; expected a text, or _ for none"},
       {line("1", "a", "X", "_", "root"), "1: expected the number of the head, or 0 for the root, found '_'"},
       {"\n# nothing\n", "3: no sentence; expected words in 10 columns, found the end of the text"},
       {line("1", "caf\xE9", "X", "0", "root"),
        "1: expected UTF-8, found the byte 0xE9; convert the file (iconv -f ENCODING -t UTF-8)"},
       {a + line("2", "b", "X", "0", "root"), "1: words 1 and 2 are both roots (head 0); expected one root"},
       {a + line("2", "b", "X", "9", "dep"), "1: word 2 has the head 9; the sentence has 2 words"},
       {line("1", "a", "X", "2", "dep") + line("2", "b", "X", "1", "dep"),
        "1: no word is the root (head 0); expected one root"}},
      "t:", [](const std::string& text) { parse_conllu(text, "t", ConlluColumn::kUpos); });
}

TEST(Conllu, RefusesACycle) {
  const auto row = [](const char* id, const char* head) {
    return fmt::format("{}\tx\t_\tN\t_\t_\t{}\td\t_\t_\n", id, head);
  };
  EXPECT_EQ(error_of([&] {
              parse_conllu("# c\n" + row("1", "0") + row("2", "3") + row("3", "2"), "t", ConlluColumn::kUpos);
            }),
            "t:2: the heads of word 2 form a cycle; its head is 3; expected heads that lead to the root");

  const std::vector<std::int32_t> cycle{-1, 2, 1}, none(3, -1);
  GraphSet graphs(tree_schema());
  EXPECT_THAT(error_of([&] { graphs.add(to_dependency_graph(cycle, none, none), "t:1"); }),
              testing::HasSubstr("t:1: vertex 1 is its own ancestor"));
}

}  // namespace
}  // namespace cavs

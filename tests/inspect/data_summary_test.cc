#include "inspect/data_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "inspect/print_data.h"

namespace cavs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<std::string> kTags{"NP", "S", "VP"};

/// A data set of trees with known words and classes.
Dataset trees(const std::string& train, const std::string& dev = "") {
  Dataset data;
  data.words = Vocabulary({"<unk>", "a", "b"});
  data.class_names = kTags;
  data.classes = 3;
  const auto read = [&](const std::string& text) {
    GraphSet graphs(tree_schema());
    if (text.empty()) return graphs;
    for (const Tree& tree : parse_treebank(text, "t", {.class_names = &kTags})) graphs.add(to_graph(tree, data.words));
    return graphs;
  };
  data.train = read(train);
  data.dev = read(dev);
  return data;
}

std::vector<std::string> names_of(const std::vector<Oddity>& oddities) {
  std::vector<std::string> names;
  for (const Oddity& oddity : oddities) names.push_back(fmt::format("{} {}", oddity.name, oddity.count));
  return names;
}

TEST(Spread, SummarisesAllNumbers) {
  EXPECT_EQ(spread_of({7, 1, 3}), (Spread{.min = 1, .max = 7, .median = 3, .mean = 11.0 / 3}));
  EXPECT_EQ(spread_of({4, 1}), (Spread{.min = 1, .max = 4, .median = 2.5, .mean = 2.5}));
  EXPECT_EQ(spread_of({}), Spread{});
}

TEST(DataSummary, CountsSamplesVerticesEdgesAndLabels) {
  const DataSummary summary = summarise(trees("(S (NP a) (VP b) (VP c))\n(NP (-1 a))", "(S (NP c) (VP a))"));
  const PartSummary& train = summary.train;
  EXPECT_EQ(train.samples, 2);
  EXPECT_EQ(train.vertices, 6);
  EXPECT_EQ(train.edges, 4);
  EXPECT_EQ(train.roots, 2);
  EXPECT_EQ(train.sizes, (Spread{.min = 2, .max = 4, .median = 3, .mean = 3}));
  EXPECT_EQ(train.depths, (Spread{.min = 1, .max = 1, .median = 1, .mean = 1}));
  EXPECT_EQ(train.arities, (Spread{.min = 1, .max = 3, .median = 2, .mean = 2}));
  EXPECT_THAT(train.types, ElementsAre(4, 2));
  EXPECT_THAT(train.labels, ElementsAre(2, 1, 2));
  EXPECT_EQ(train.labelled, 5);
  EXPECT_EQ(train.words, 4);
  EXPECT_EQ(train.unknown_words, 1);
  ASSERT_TRUE(summary.dev);
  EXPECT_EQ(summary.dev->samples, 1);
  EXPECT_EQ(summary.dev->unknown_words, 1);
  EXPECT_EQ(summary.classes, kTags);
  EXPECT_EQ(summary.vocabulary, 3);
}

TEST(DataSummary, CountsPresentValuesOfPorts) {
  Dataset data;
  data.train = parse_jsonl(R"({"children":[[],[0]],"pull":{"kind":[4,-1],"score":[null,[1,2]]},"label":[-1,0]})", "t");
  EXPECT_THAT(summarise(data).train.ports,
              ElementsAre(PortSummary{.name = "label", .width = 0, .present = 1, .max_index = 0},
                          PortSummary{.name = "kind", .width = 0, .present = 1, .max_index = 4},
                          PortSummary{.name = "score", .width = 2, .present = 1, .max_index = 0}));
  EXPECT_EQ(summarise(data).vocabulary, 0);
}

TEST(DataSummary, CountsPresentValuesOfEdgePorts) {
  Dataset data;
  data.train = parse_jsonl(
      R"({"children":[[],[0,0]],"edges":{"order":[[],[3,null]],"bond":[[],[[1],[2]]],"kind":[[],[-1,-1]]}})", "t");
  const DataSummary summary = summarise(data);
  EXPECT_THAT(summary.train.ports,
              ElementsAre(PortSummary{.name = "label", .width = 0, .present = 0, .max_index = -1},
                          PortSummary{.name = "kind", .width = 0, .present = 0, .max_index = -1, .of_edges = true},
                          PortSummary{.name = "order", .width = 0, .present = 1, .max_index = 3, .of_edges = true},
                          PortSummary{.name = "bond", .width = 1, .present = 2, .max_index = 0, .of_edges = true}));
  EXPECT_THAT(summary.oddities,
              testing::Contains(testing::Field(&Oddity::text, "port 'kind' has no value at any edge of train")));
}

TEST(DataSummary, TheClassesOfTextAreItsWords) {
  Dataset data;
  data.words = Vocabulary({"<unk>", "<eos>", "a"});
  data.classes = 3;
  data.train = GraphSet(chain_schema());
  data.train.add(to_chain(1, std::vector<std::int32_t>{2, 1}));
  EXPECT_THAT(summarise(data).classes, ElementsAre("<unk>", "<eos>", "a"));
}

TEST(DataOddities, AreEmptyForOrdinaryData) {
  EXPECT_THAT(names_of(summarise(trees("(S (NP a) (VP b))\n(S (NP b) (VP b))", "(S (NP b) (VP a))")).oddities),
              IsEmpty());
}

TEST(DataOddities, ReportDuplicatesOverlapsAndContradictions) {
  const DataSummary summary = summarise(trees("(S (NP a) (VP b))\n(S (NP a) (VP b))\n(S (VP a) (VP b))",
                                              "(S (NP a) (VP b))\n(S (NP a) (NP b))\n(S ((NP a) (VP b)))"));
  EXPECT_THAT(names_of(summary.oddities), ElementsAre("duplicates 1", "in_both_parts 1", "contradictions 2"));
}

TEST(DataOddities, ReportSamplesOfUnusualSize) {
  std::string large = "(S";
  for (int i = 0; i < 40; ++i) large += " (NP a)";
  const DataSummary summary = summarise(trees("(VP b)\n(S (NP a) (VP b))\n(S (NP b) (VP a))\n" + large + ")"));
  EXPECT_THAT(names_of(summary.oddities), ElementsAre("outliers 1", "single_vertices 1"));
  EXPECT_EQ(summary.oddities[0].text,
            "1 samples of train have more than 10 times the median of 3 vertices; the largest: 41");
}

TEST(DataOddities, ReportProblemsOfLabels) {
  std::string equal;
  for (int i = 0; i < 19; ++i) equal += fmt::format("(NP{} a)\n", std::string(i, ' '));
  const auto named = [](const Dataset& data, const std::string& name) {
    for (const Oddity& oddity : summarise(data).oddities)
      if (oddity.name == name) return oddity.text;
    return std::string("none");
  };
  EXPECT_EQ(named(trees(equal + "(S b)", "(VP a)"), "unequal_classes"), "class NP has 95.0 % of the labels of train");
  EXPECT_EQ(named(trees(equal + "(S b)", "(VP a)"), "classes_of_dev_alone"),
            "1 classes have labels in dev, but none in train: VP");
  EXPECT_EQ(named(trees("(NP a)"), "unseen_classes"), "2 of 3 classes have no label at all: S, VP");
  EXPECT_EQ(named(trees("(NP a)\n((a) (b))"), "unlabelled_samples"), "1 samples of train have no label");
  EXPECT_EQ(named(trees("(NP a)", "(NP x)"), "unknown_words"), "100.0 % of the words of dev are unknown");
  EXPECT_EQ(named(trees("((a) (b))"), "absent_ports"), "port 'label' has no value at any vertex of train");
}

TEST(PrintData, ShowsPartsSideBySideAndClassesByFrequency) {
  const std::string text = to_text(summarise(trees("(S (NP a) (VP b) (VP c))", "(S (NP c) (VP a))")));
  EXPECT_THAT(text, HasSubstr("samples       1                            1\n"));
  EXPECT_THAT(text, HasSubstr("  per sample  4 to 4, median 4, mean 4.00  3 to 3, median 3, mean 3.00\n"));
  EXPECT_THAT(text, HasSubstr("VP     2      50.0 %  1    33.3 %\nNP     1      25.0 %  1    33.3 %\n"));
  EXPECT_THAT(text, HasSubstr("vocabulary: 3 words"));
  EXPECT_THAT(text, HasSubstr("worth a look:\n- 50.0 % of the words of dev are unknown\n"));
  EXPECT_THAT(to_text(summarise(trees("(S (NP a) (VP b))"))), Not(HasSubstr("dev")));
}

}  // namespace
}  // namespace cavs

// Labels of bracketed trees may be integers or names.

#include <gmock/gmock.h>

#include "cavs/data.h"
#include "data/loading_error.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;

TEST(LoadTrees, ReadsTreesWithAnyLabels) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "a.txt", "((a) (7 b))"), dev = written(folder / "b.txt", "(9 c)");
  EXPECT_EQ(load_data("trees:" + train).classes, 8);
  const Dataset both = load_data("trees:train=" + train + ",dev=" + dev);
  EXPECT_EQ(both.classes, 10);
  EXPECT_EQ(both.dev.size(), 1);
  EXPECT_EQ(loading_error("trees:" + train, {.classes = 5}),
            train + ":1: label out of range; expected 0 to 4, or -1 for none, found 7");
}

TEST(LoadTrees, LearnsTheNamesOfLabels) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "a.txt", "(S (NP (DT a) (NN b)) (x))\n(S (-1 a))"),
                    dev = written(folder / "b.txt", "(VP (O c))");
  const Dataset data = load_data("trees:train=" + train + ",dev=" + dev);
  EXPECT_THAT(data.class_names, ElementsAre("O", "DT", "NN", "NP", "S", "VP"));
  EXPECT_EQ(data.classes, 6);
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(4, 3, 1, 2, -1, 4, -1));
  EXPECT_THAT(data.dev.index_pulls(1), ElementsAre(5, 0));
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "a", "b", "x"));
}

TEST(LoadTrees, MapsLabelsToTheNamesOfACheckpoint) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "a.txt", "(S (NP a))\n(NP a)\n(1 b)"),
                    wrong = written(folder / "b.txt", "(S a)\n(S (SNP a))");
  const std::vector<std::string> tags{"NP", "S"};
  EXPECT_THAT(load_data("trees:" + file, {.classes = 2, .class_names = &tags}).train.index_pulls(1),
              ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(loading_error("trees:" + wrong, {.classes = 2, .class_names = &tags}),
            wrong + ":2: the model does not know the label 'SNP' of this tree; did you mean 'NP'? known: NP, S");
}

TEST(LoadTrees, RefusesNamesBesideIntegers) {
  const TemporaryFolder folder;
  const std::string names = written(folder / "a.txt", "((a))\n(S (NP a) (b))"),
                    integers = written(folder / "b.txt", "(3 c)"), both = written(folder / "c.txt", "((NP a) (1 b))");
  const std::string rest =
      " is a name, but other labels of the data are integers; expected only integers or only names; a label may be "
      "missing, as in ((the) (dog))";
  EXPECT_EQ(loading_error("trees:" + both), both + ":1: the label 'NP'" + rest);
  EXPECT_EQ(loading_error("trees:train=" + names + ",dev=" + integers), names + ":2: the label 'S'" + rest);
  EXPECT_EQ(load_data("trees:" + both, {.classes = 2}).classes, 2);
}

}  // namespace
}  // namespace cavs

#include <gmock/gmock.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <map>

#include "cavs/data.h"
#include "cavs/models.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/loading_error.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::ElementsAre;

/// The contents of all samples, for comparing data sets.
std::vector<std::vector<std::int32_t>> contents(const GraphSet& graphs) {
  const GraphArrays arrays = graphs.to_arrays();
  return {arrays.types, arrays.children, arrays.index_pulls[0], arrays.index_pulls[1]};
}

TEST(LoadData, GeneratesListOps) {
  const Dataset data = load_data("listops:train=30,test=10,length=20,arguments=3,depth=2");
  EXPECT_EQ(data.kind, "listops");
  EXPECT_EQ(data.train.size(), 30);
  EXPECT_EQ(data.dev.size(), 10);
  EXPECT_EQ(data.classes, 10);
  EXPECT_EQ(data.words.size(), 15);
  EXPECT_EQ(data.train.schema(), tree_schema());
  EXPECT_LE(statistics(data.train).max_arity, 3);
  EXPECT_THAT(data.train.index_pulls(0), testing::Each(testing::Ge(1)));  // every vertex has a known word
}

TEST(LoadData, ReadsTextsInPlaceOfFiles) {
  const std::string trees = "(3 (2 It) (4 works))\n(1 (2 no) (0 way))\n";
  const std::map<std::string, std::string> texts{{"a", trees}, {"b", "(1 (2 no) (1 dog))"}};
  const TemporaryFolder folder;
  const std::string file = written(folder / "trees.txt", trees);
  const Dataset given = load_data("trees:train=a,dev=b", {.texts = &texts}), read = load_data("trees:" + file);
  EXPECT_EQ(contents(given.train), contents(read.train));
  EXPECT_EQ(given.words.words(), read.words.words());
  EXPECT_EQ(given.dev.size(), 1);
  EXPECT_EQ(loading_error("trees:train=a,dev=c", {.texts = &texts}),
            "data 'trees:train=a,dev=c': a text 'b' is given, but not named here; expected the names of texts in "
            "place of files, as in trees:train=a,dev=b");
  const std::map<std::string, std::string> broken{{"a", "(3 (2 It)"}}, text{{"a", "the cat"}};
  EXPECT_THAT(loading_error("trees:a", {.texts = &broken}), testing::StartsWith("a:1"));
  EXPECT_THAT(loading_error("text:a", {.stream = true, .texts = &text}), testing::HasSubstr("cannot be streamed"));
}

TEST(LoadData, ListOpsHasTwentyThousandSamplesByDefault) {
  const Dataset data = load_data("listops");
  EXPECT_EQ(data.train.size(), 20'000);
  EXPECT_EQ(data.dev.size(), 2'000);
}

TEST(LoadData, TheSeedOfTheSpecOverridesThatOfTheOptions) {
  const auto train = [](const std::string& spec, std::uint64_t seed) {
    return contents(load_data(spec, {.seed = seed}).train);
  };
  EXPECT_EQ(train("listops:train=20,seed=5", 1), train("listops:train=20", 5));
  EXPECT_NE(train("listops:train=20", 1), train("listops:train=20", 5));
  EXPECT_EQ(train("binary-trees:samples=2,seed=5", 1), train("binary-trees:samples=2", 5));
}

TEST(LoadData, TheLimitKeepsTheFirstTrainingSamplesAndAllOthers) {
  const Dataset all = load_data("listops:train=30,test=10"),
                some = load_data("listops:train=30,test=10", {.limit = 10});
  EXPECT_EQ(some.train.size(), 10);
  EXPECT_EQ(some.dev.size(), 10);
  auto first = all.train.to_arrays().types;
  first.resize(some.train.types().size());
  EXPECT_EQ(some.train.to_arrays().types, first);
}

TEST(LoadData, GeneratesCompleteBinaryTrees) {
  const Dataset data = load_data("binary-trees:leaves=8,samples=3,vocabulary=20");
  EXPECT_EQ(data.train.size(), 3);
  EXPECT_EQ(data.dev.size(), 0);
  EXPECT_EQ(data.train.vertices(), 45);
  EXPECT_EQ(data.classes, 5);
  EXPECT_EQ(data.rows("word"), 20);
  EXPECT_EQ(load_data("binary-trees").train.size(), 64);
}

TEST(LoadData, ReadsSentimentTreesWithAVocabularyOfAllTrainingTrees) {
  const TemporaryFolder folder;
  written(folder / "train.txt", "(3 (2 It) (4 works))\n(1 (2 It) (0 fails))\n");
  written(folder / "dev.txt", "(2 (2 It) (2 pauses))\n");
  const Dataset data = load_data("sst:" + (folder / ""), {.limit = 1});
  EXPECT_EQ(data.classes, 5);
  EXPECT_EQ(data.train.size(), 1);
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "It", "fails", "works"));
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(-1, 1, 3));
  EXPECT_THAT(data.dev.index_pulls(0), ElementsAre(-1, 1, 0));
  EXPECT_THAT(data.dev.index_pulls(1), ElementsAre(2, 2, 2));
  EXPECT_THAT(load_data("sst:" + (folder / ""), {.min_count = 2}).words.words(), ElementsAre("<unk>", "It"));
}

TEST(LoadData, UsesTheVocabularyItIsGiven) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "t.txt", "(3 (2 a) (4 b))");
  const Vocabulary words({"<unk>", "b", "c"});
  const Dataset data = load_data("trees:" + file, {.words = &words});
  EXPECT_EQ(data.words.words(), words.words());
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(-1, 0, 1));
}

TEST(LoadData, LearnsWordsAndLabelsOfJsonLines) {
  const TemporaryFolder folder;
  const std::string train =
                        written(folder / "a.jsonl",
                                R"({"children":[[],[0],[1]],"pull":{"word":["a","b","b"]},"label":["Y",null,"X"]})"),
                    dev = written(folder / "b.jsonl", R"({"children":[[]],"pull":{"word":["c"]},"label":["Z"]})");
  const std::string spec = "jsonl:train=" + train + ",dev=" + dev;
  const Dataset data = load_data(spec);
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "b", "a"));
  EXPECT_THAT(data.class_names, ElementsAre("X", "Y", "Z"));
  EXPECT_EQ(data.classes, 3);
  EXPECT_EQ(data.rows("word"), 3);
  EXPECT_THAT(data.train.to_arrays().index_pulls, ElementsAre(ElementsAre(2, 1, 1), ElementsAre(1, -1, 0)));
  EXPECT_THAT(data.dev.to_arrays().index_pulls, ElementsAre(ElementsAre(0), ElementsAre(2)));
  EXPECT_THAT(load_data(spec, {.min_count = 2}).words.words(), ElementsAre("<unk>", "b"));
  EXPECT_THAT(load_data(spec, {.vocabulary = 2}).words.words(), ElementsAre("<unk>", "b"));
}

TEST(LoadData, ReadsJsonLinesWithTheNamesOfACheckpoint) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "a.jsonl", R"({"children":[[]],"pull":{"word":["b"]},"label":["Y"]})");
  const Vocabulary words({"<unk>", "a", "b"});
  const std::vector<std::string> tags{"X", "Y"};
  const Dataset data = load_data("jsonl:" + file, {.classes = 2, .class_names = &tags, .words = &words});
  EXPECT_EQ(data.words.words(), words.words());
  EXPECT_THAT(data.train.to_arrays().index_pulls, ElementsAre(ElementsAre(2), ElementsAre(1)));
  const Vocabulary none;
  EXPECT_EQ(loading_error("jsonl:" + file, {.classes = 2, .class_names = &tags, .words = &none}),
            file + ":1: the word 'b' is text, but the model has no vocabulary; expected numbers from 0");
  EXPECT_EQ(loading_error("jsonl:" + file, {.classes = 2, .words = &words}),
            file + ":1: the label 'Y' is a name, but the classes of the model have no names; expected numbers from 0");
}

TEST(LoadData, LearnsTextAtOtherIndexPorts) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "a.jsonl",
                                    R"({"children":[[],[],[]],"pull":{"pos":["N","D","N"],"size":[2,0,1]}})"),
                    dev = written(folder / "b.jsonl", R"({"children":[[],[]],"pull":{"pos":["V","D"],"size":[0,0]}})");
  const std::string spec = "jsonl:train=" + train + ",dev=" + dev;
  const Dataset data = load_data(spec, {.min_count = 2, .vocabulary = 2});  // these limits apply only to words
  ASSERT_EQ(data.port_words.size(), 1U);
  EXPECT_THAT(data.port_words.at("pos").words(), ElementsAre("<unk>", "N", "D"));
  EXPECT_EQ(data.rows("pos"), 3);
  EXPECT_EQ(data.rows("size"), 3);
  EXPECT_THAT(data.train.to_arrays().index_pulls[1], ElementsAre(1, 2, 1));
  EXPECT_THAT(data.dev.to_arrays().index_pulls[1], ElementsAre(0, 2));
  const PortWords kept{{"pos", Vocabulary({"<unk>", "V"})}}, none;
  EXPECT_THAT(load_data(spec, {.port_words = &kept}).dev.to_arrays().index_pulls[1], ElementsAre(1, 0));
  EXPECT_EQ(loading_error(spec, {.port_words = &none}),
            train + ":1: port 'pos' has the name 'N', but only numbers are known there; expected numbers from 0");
}

TEST(LoadData, RefusesNamesInOneSplitAndNumbersInTheOther) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "a.jsonl", R"({"children":[[]],"label":["Y"]})"),
                    dev = written(folder / "b.jsonl",
                                  "\n"
                                  R"({"children":[[]],"label":[1]})");
  EXPECT_EQ(loading_error("jsonl:train=" + train + ",dev=" + dev),
            dev + ":2: 'label' has numbers, but " + train + ":1 has names; expected one or the other");
}

TEST(LoadData, ReadsJsonLinesAndCountsTheRowsOfTables) {
  const TemporaryFolder folder;
  const std::string line = R"({"types":["leaf","inner"],"children":[[],[0]],"pull":{"word":[41,-1]},"label":[-1,3]})";
  const std::string train = written(folder / "a.jsonl", line), dev = written(folder / "b.jsonl", line + "\n" + line);
  const Dataset data = load_data("jsonl:train=" + train + ",dev=" + dev);
  EXPECT_EQ(data.train.size(), 1);
  EXPECT_EQ(data.dev.size(), 2);
  EXPECT_EQ(data.rows("word"), 42);
  EXPECT_EQ(data.rows("label"), 4);
  EXPECT_EQ(load_data("jsonl:" + dev, {.limit = 1}).train.size(), 1);
  EXPECT_EQ(load_data("jsonl:" + dev).dev.size(), 0);
  EXPECT_EQ(loading_error("jsonl:" + dev, {.classes = 3}),
            "data '" + dev + "': the largest label is 3, but the model has 3 classes; expected 0 to 2");
}

TEST(LoadData, ReadsJsonLinesIntoTheSchemaOfACheckpoint) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "a.jsonl", R"({"types":["leaf"],"children":[[]]})");
  const GraphSchema schema = tree_schema();
  EXPECT_EQ(loading_error("jsonl:" + file, {.schema = &schema}),
            file + ":1: pull has no port 'word'; expected it in every line");
}

TEST(LoadData, SpellsRareWords) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "a", "he O\nJo I-PER\n\nhe O\n"),
                    dev = written(folder / "b", "\u00e9 O\nhe O\n");
  const Dataset data = load_data("conll:train=" + train + ",dev=" + dev, {.spelled_below = 2});
  EXPECT_EQ(data.schema, spelled_chain_schema());
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "he"));
  // Tokens come first, then the characters of "Jo". The token names their first and last vertices.
  EXPECT_THAT(data.train.types(), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(data.train.children(), ElementsAre(0, 2));
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(1, -1, -1, -1, 1));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(0, 1, -1, -1, 0));
  EXPECT_THAT(data.train.index_pulls(2), ElementsAre(-1, -1, 'J', 'o', -1));
  EXPECT_THAT(data.train.index_pulls(3), ElementsAre(-1, 2, -1, -1, -1));
  EXPECT_THAT(data.train.index_pulls(4), ElementsAre(-1, 3, -1, -1, -1));
  EXPECT_THAT(data.dev.index_pulls(2), ElementsAre(-1, -1, 0xc3, 0xa9)) << "bytes of UTF-8";
  EXPECT_EQ(load_data("tags:train=3,test=1", {.spelled_below = 5}).schema, spelled_chain_schema());
}

TEST(LoadData, ReadsTaggedSentencesWithTheTagsOfBothSplits) {
  const TemporaryFolder folder;
  const std::string train = written(folder / "a", "John I-PER\nsleeps O\n\nhe O\n"),
                    dev = written(folder / "b", "Rome I-LOC\nsleeps O\n");
  const std::string spec = "conll:train=" + train + ",dev=" + dev;
  const Dataset data = load_data(spec);
  EXPECT_THAT(data.class_names, ElementsAre("O", "I-LOC", "I-PER"));
  EXPECT_EQ(data.classes, 3);
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "John", "he", "sleeps"));
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(1, 3, 2));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(2, 0, 0));
  EXPECT_THAT(data.dev.index_pulls(0), ElementsAre(0, 3));
  const Model network = find_model("bilstm-tagger").make({});
  const Dataset built = load_data(spec, {.limit = 1, .network = &network});
  EXPECT_EQ(built.train.vertices(), 10);
  EXPECT_EQ(built.schema, chain_schema());
  const std::vector<std::string> tags{"O", "I-PER"};
  EXPECT_EQ(loading_error(spec, {.class_names = &tags}),
            dev + ":1: the model does not know the tag 'I-LOC' of this sentence; known: O, I-PER");
  EXPECT_EQ(loading_error(spec, {.classes = 5}),
            "data 'conll': 3 tags, but the model has 5 classes; expected a model that was trained on these tags");
}

TEST(LoadData, ReadsLatticesOfAFolder) {
  const TemporaryFolder folder;
  written(folder / "weiboNER_2nd_conll.train", "中0\tB-GPE.NAM\n国1\tI-GPE.NAM\n人0\tO\n");
  written(folder / "weiboNER_2nd_conll.dev", "国0\tO\n人1\tO\n");
  written(folder / "lexicon.txt", "中国 3\n国人 2\n");
  const std::string spec = "weibo:" + (folder / "");
  const Dataset data = load_data(spec);
  EXPECT_EQ(data.train.schema(), lattice_schema());
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "中", "中国", "人", "国", "国人"));
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(-1, 1, -1, 4, 2, -1, 3, 5, -1));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(-1, -1, 1, -1, -1, 2, -1, -1, 0));
  EXPECT_THAT(data.dev.types(), ElementsAre(2, 0, 2, 0, 1, 2));
  EXPECT_THAT(load_data(spec + ",words=0").dev.types(), ElementsAre(2, 0, 2, 0, 2));
}

TEST(LoadData, PairsTheLinesOfTwoFilesAndNumbersTargetWordsFirst) {
  const TemporaryFolder folder;
  const std::string source = written(folder / "en", "a man\n\na dog\n"),
                    target = written(folder / "de", "ein mann\n\nhund\n");
  const Dataset data = load_data("parallel:" + source + "+" + target);
  EXPECT_THAT(data.words.words(), ElementsAre("<unk>", "<eos>", "ein", "hund", "mann", "a", "dog", "man"));
  EXPECT_EQ(data.classes, 5);
  EXPECT_THAT(data.train.index_pulls(0), ElementsAre(5, 7, 1, 2, 4, 5, 6, 1, 3));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(-1, -1, 2, 4, 1, -1, -1, 3, 1));
  EXPECT_THAT(data.train_text.source, ElementsAre("a man", "a dog"));
  EXPECT_THAT(data.train_text.target, ElementsAre("ein mann", "hund"));
  EXPECT_THAT(load_data("parallel:" + source + "+" + target, {.limit = 1}).train_text.target, ElementsAre("ein mann"));
  written(target, "ein mann\nhund\n");
  EXPECT_EQ(loading_error("parallel:" + source + "+" + target),
            target + ":2: no translation, because line 2 of " + source +
                " is blank or missing; expected a line for each line");
  written(target, "ein mann\n");
  EXPECT_EQ(loading_error("parallel:" + source + "+" + target),
            source + ":3: no translation, because line 3 of " + target +
                " is blank or missing; expected a line for each line");
  EXPECT_EQ(loading_error("parallel:" + source),
            "data 'parallel': found '" + source + "'; expected two files, SOURCE+TARGET, whose lines are translations");
}

TEST(LoadData, NamesAMissingSplit) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "train.txt", "(1 a)");
  const std::string path = std::filesystem::path(file).parent_path();
  const std::vector<std::array<std::string, 3>> folders{
      {"sst", "dev.txt", "train.txt and dev.txt"},
      {"sick", "train/a.toks", "train/ and dev/, each with a.toks, a.parents and sim.txt"},
      {"weibo", "weiboNER_2nd_conll.train", "weiboNER_2nd_conll.train, weiboNER_2nd_conll.dev and lexicon.txt"}};
  for (const auto& [kind, missing, files] : folders)
    EXPECT_EQ(loading_error(kind + ":" + path), "data '" + kind + ":" + path + "': neither " + path + "/" + missing +
                                                    " nor " + path + "/" + missing +
                                                    ".gz exists; expected a folder with " + files);
  EXPECT_EQ(loading_error("sst"), "data 'sst': no folder; expected sst:DIR, where DIR has train.txt and dev.txt");
  EXPECT_EQ(loading_error("jsonl"), "data 'jsonl': no file; expected jsonl:FILE or jsonl:train=FILE,dev=FILE");
  EXPECT_EQ(loading_error("trees:train=a"), "data 'trees:train=a': no dev file; expected trees:train=FILE,dev=FILE");
}

TEST(LoadData, SuggestsAKindOrOptionForAMisspelling) {
  const std::string known =
      "known: binary-trees, conll, conllu, expressions, jsonl, lattice, lattices, listops, markov, moving-shapes, "
      "parallel, random-trees, sick, sst, table, tags, text, translations, tree-pairs, trees, weibo";
  EXPECT_EQ(loading_error("listop:train=3"),
            "data 'listop:train=3': unknown kind 'listop'; did you mean 'listops'? " + known);
  EXPECT_EQ(loading_error(""), "data '': unknown kind ''; " + known);
  const TemporaryFolder folder;
  const std::string file = written(folder / "s.csv", "a,b");
  EXPECT_THAT(loading_error(file),
              testing::HasSubstr(": this is a file without its kind; expected KIND:" + file + ", where KIND is"));
  EXPECT_EQ(loading_error("listops:lenght=3"),
            "data 'listops:lenght=3': unknown option 'lenght'; did you mean 'length'? known: arguments, depth, length, "
            "seed, test, train");
}

TEST(LoadData, ReportsBadOptions) {
  for (const auto& [spec, says] : std::vector<Mistake>{
           {"listops:length=3", "length is '3'; expected an integer 4 to 536870911"},
           {"listops:train=many", "train is 'many'; expected an integer 1 to 100000000"},
           {"listops:train=2x", "train is '2x'; expected an integer 1 to 100000000"},
           {"listops:train", "option 'train' has no value; expected train=VALUE"},
           {"listops:train=3,train=4", "duplicate option 'train'"},
           {"binary-trees:leaves=0", "leaves is '0'; expected an integer 1 to 268435456"},
           {"text:a.txt,steps=0", "steps is '0'; expected an integer 1 to 50000000"},
           {"text:a.txt,vocabulary=1", "vocabulary is '1'; expected an integer 2 to 100000000"},
           {"text:a.txt,step=4", "unknown option 'step'; did you mean 'steps'? known: steps, vocabulary"},
           {"text:a.txt,steps=4,steps=5", "duplicate option 'steps'"},
           {"conll:a.txt,tags=iop",
            "tags is 'iop'; did you mean 'io'? known: bilou, bmes, io, iob1, iob2, iobes, none"}})
    EXPECT_EQ(loading_error(spec), "data '" + spec + "': " + says);
  EXPECT_EQ(loading_error("conll:a.txt,tags=bio"), "data 'conll': tags is 'bio'; BIO is called iob2 here");
  EXPECT_EQ(loading_error("listops", {.classes = 5}),
            "data 'listops': labels are 0 to 9, but the model has 5 classes; expected at least 10");
  EXPECT_EQ(loading_error("listops", {.limit = -1}),
            "data options: limit -1, min_count 1, vocabulary 0, steps 0, classes 0; expected values from 0");
}

TEST(Loading, RewritesTagsInTheSchemeOfTheSpec) {
  const TemporaryFolder folder;
  const std::string file = written(folder / "ner.conll", "New I-LOC\nYork I-LOC\nParis B-LOC\nis O\n");
  EXPECT_THAT(load_data("conll:" + file).class_names, ElementsAre("O", "B-LOC", "I-LOC"));
  const Dataset data = load_data("conll:" + file + ",tags=iobes");
  EXPECT_THAT(data.class_names, ElementsAre("O", "B-LOC", "E-LOC", "S-LOC"));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(1, 2, 3, 0));
}

TEST(Loading, ReadsDependencyTreesFromPlainAndGzippedFiles) {
  const TemporaryFolder folder;
  const std::string text = "1\tdogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n";
  const std::string file = written(folder / "a.conllu", text), zipped = folder / "a.conllu.gz";
  gzFile gzip = gzopen(zipped.c_str(), "wb");
  gzwrite(gzip, text.data(), static_cast<unsigned>(text.size()));
  gzclose(gzip);
  const Dataset data = load_data("conllu:train=" + file + ",dev=" + zipped + ",label=deprel");
  EXPECT_THAT(data.class_names, ElementsAre("nsubj", "root"));
  EXPECT_THAT(data.train.index_pulls(1), ElementsAre(0, 1));
  EXPECT_EQ(data.dev.to_arrays().children, data.train.to_arrays().children);
  EXPECT_EQ(load_data("conllu:" + file).class_names, (std::vector<std::string>{"NOUN", "VERB"}));
}

}  // namespace
}  // namespace cavs

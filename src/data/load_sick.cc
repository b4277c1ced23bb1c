#include <fmt/format.h>

#include "cavs/readers.h"
#include "data/data_kinds.h"
#include "data/sick.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kPartFiles = 5;

/// @param files  the files of one part, in the order of sick_files()
SickTexts read_part(std::span<const std::string> files) {
  const auto read = [&](std::size_t i) { return SickTexts::File{files[i], read_text_file(files[i])}; };
  return {.a_tokens = read(0), .a_parents = read(1), .b_tokens = read(2), .b_parents = read(3), .scores = read(4)};
}

GraphSet to_graphs(const std::vector<SickPair>& pairs, std::int64_t count, const Vocabulary& words,
                   const std::string& name, const GraphLimits& limits) {
  GraphSet graphs(tree_pair_schema(), limits);
  for (std::int64_t i = 0; i < count; ++i)
    graphs.add(to_tree_pair(to_word_tree(pairs[i].a, words), to_word_tree(pairs[i].b, words), pairs[i].score),
               fmt::format("{}:{}", name, i + 1));
  return graphs;
}

}  // namespace

std::vector<std::string> sick_files(DataSpec& spec) {
  std::vector<std::string> files;
  for (const std::string part : {"train/", "dev/"})
    for (const char* file : {"a.toks", "a.parents", "b.toks", "b.parents", "sim.txt"})
      files.push_back(find_part(spec, part + file, "train/ and dev/, each with a.toks, a.parents and sim.txt"));
  return files;
}

Dataset load_sick(DataSpec& spec, const DataOptions& options) {
  const std::vector<std::string> files = sick_files(spec);
  const std::span<const std::string> all(files);
  const SickTexts texts[] = {read_part(all.first(kPartFiles)), read_part(all.subspan(kPartFiles))};
  const std::vector<SickPair> train = parse_sick(texts[0]), dev = parse_sick(texts[1]);
  WordCounts counts;
  for (const SickPair& pair : train)
    for (const SickPair::Sentence* sentence : {&pair.a, &pair.b})
      for (const auto word : sentence->words) ++counts[word];
  Dataset data;
  data.words = known_words(std::move(counts), options);
  data.classes = checked_scores(spec.kind(), options);
  data.train =
      to_graphs(train, limited(std::ssize(train), options), data.words, texts[0].a_parents.name, options.limits);
  data.dev = to_graphs(dev, std::ssize(dev), data.words, texts[1].a_parents.name, options.limits);
  return data;
}

}  // namespace cavs::inline v0_1

#include <fmt/format.h>

#include <array>

#include "cavs/readers.h"
#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/lexicon.h"
#include "data/sentence_graph.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {
namespace {

using Sentences = std::vector<TaggedSentence>;

std::vector<std::vector<Lexicon::Match>> match_all(const Sentences& sentences, const Lexicon& lexicon) {
  std::vector<std::vector<Lexicon::Match>> all;
  all.reserve(sentences.size());
  for (const TaggedSentence& sentence : sentences) all.push_back(lexicon.matches(sentence.tokens));
  return all;
}

/// Characters and the words of the lexicon that stand in the training part, in one table.
WordCounts count_words(const Sentences& sentences, const std::vector<std::vector<Lexicon::Match>>& matches) {
  WordCounts counts;
  for (const TaggedSentence& sentence : sentences)
    for (const auto character : sentence.tokens) ++counts[character];
  for (const auto& words : matches)
    for (const Lexicon::Match& match : words) ++counts[match.word];
  return counts;
}

/// Of weibo_files(): without words=0 the last one.
std::shared_ptr<const Lexicon> lexicon_in(const std::vector<std::string>& files) {
  return files.size() > 2 ? read_lexicon(files[2]) : std::make_shared<Lexicon>();
}

}  // namespace

std::vector<std::string> weibo_files(DataSpec& spec) {
  constexpr std::array<std::string_view, 1> kKeys{"words"};
  spec.split_off_options(kKeys);
  const std::string expected = "weiboNER_2nd_conll.train, weiboNER_2nd_conll.dev and lexicon.txt";
  std::vector<std::string> files{find_part(spec, "weiboNER_2nd_conll.train", expected),
                                 find_part(spec, "weiboNER_2nd_conll.dev", expected)};
  if (spec.integer("words", 1, 0, 1) == 1) files.push_back(find_part(spec, "lexicon.txt", expected));
  return files;
}

Dataset load_weibo(DataSpec& spec, const DataOptions& options) {
  const std::vector<std::string> files = weibo_files(spec);  // of words=0 without the lexicon
  const std::array<std::string, 2> texts{read_text_file(files[0]), read_text_file(files[1])};
  std::array<Sentences, 2> parts{parse_conll(texts[0], files[0], {.column = TokenColumn::kCharacter}),
                                 parse_conll(texts[1], files[1], {.column = TokenColumn::kCharacter})};
  const auto lexicon = options.lexicon != nullptr ? options.lexicon : lexicon_in(files);
  std::array<std::vector<std::vector<Lexicon::Match>>, 2> matches{match_all(parts[0], *lexicon),
                                                                  match_all(parts[1], *lexicon)};
  TagNames names;
  for (const Sentences& part : parts)
    for (const TaggedSentence& sentence : part) names.add(sentence);
  Dataset data = words_and_tags(count_words(parts[0], matches[0]), names, "weibo", options);
  data.lexicon = lexicon;
  parts[0].resize(limited(std::ssize(parts[0]), options));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    GraphSet graphs(lattice_schema(), options.limits);
    for (std::size_t s = 0; s < parts[p].size(); ++s)
      graphs.add(to_lattice(parts[p][s], matches[p][s], data.words, tag_ids(parts[p][s], data.tags, files[p])),
                 fmt::format("{}:{}", files[p], parts[p][s].line));
    (p == 0 ? data.train : data.dev) = std::move(graphs);
  }
  return data;
}

void prepare_weibo(DataSpec& spec, SampleOptions& options) { options.lexicon = lexicon_in(weibo_files(spec)); }

}  // namespace cavs::inline v0_1

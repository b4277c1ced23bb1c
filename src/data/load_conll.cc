#include <fmt/format.h>

#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/word_counts.h"

namespace cavs {
namespace {

GraphSet to_graphs(std::span<const TaggedSentence> sentences, const Dataset& data, const std::string& name,
                   const GraphLimits& limits) {
  GraphSet graphs(chain_schema(), limits);
  for (const TaggedSentence& sentence : sentences) {
    std::vector<std::int32_t> words;
    words.reserve(sentence.tokens.size());
    for (const auto token : sentence.tokens) words.push_back(data.words.id(token));
    graphs.add(to_tagged_chain(words, tag_ids(sentence, data.tags, name)), fmt::format("{}:{}", name, sentence.line));
  }
  return graphs;
}

}  // namespace

Dataset load_conll(DataSpec& spec, const DataOptions& options) {
  const DataSpec::Files files = spec.files();
  const std::string train = read_text_file(files.train), dev = files.dev.empty() ? "" : read_text_file(files.dev);
  std::vector<std::vector<TaggedSentence>> parts{parse_conll(train, files.train)};
  if (!files.dev.empty()) parts.push_back(parse_conll(dev, files.dev));
  WordCounts counts;
  for (const TaggedSentence& sentence : parts[0])
    for (const auto token : sentence.tokens) ++counts[token];
  Dataset data;
  data.words = options.words != nullptr ? *options.words
                                        : most_frequent(std::move(counts), {std::string(Vocabulary::kUnknown)},
                                                        options.min_count, options.vocabulary);
  data.tags = options.tags != nullptr ? *options.tags : tags_of(parts);
  data.classes = checked_classes(data.tags, "conll", options);
  parts[0].resize(limited(std::ssize(parts[0]), options));
  data.train = to_graphs(parts[0], data, files.train, options.limits);
  data.dev = GraphSet(chain_schema(), options.limits);
  if (!files.dev.empty()) data.dev = to_graphs(parts[1], data, files.dev, options.limits);
  return data;
}

}  // namespace cavs

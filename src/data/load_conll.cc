#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/tag_scheme.h"
#include "data/word_counts.h"

namespace cavs {
namespace {

GraphSet to_graphs(std::span<const TaggedSentence> sentences, const Dataset& data, const std::string& name,
                   const GraphLimits& limits) {
  GraphSet graphs(chain_schema(), limits);
  for (const TaggedSentence& sentence : sentences) {
    graphs.add(to_tagged_chain(word_ids(sentence, data.words), tag_ids(sentence, data.tags, name)),
               fmt::format("{}:{}", name, sentence.line));
  }
  return graphs;
}

/// None where tags stay as they are written.
std::optional<TagScheme> scheme_of(const DataSpec& spec) {
  constexpr std::array<std::string_view, 3> kNames{"iob1", "iob2", "iobes"};
  const std::string name = spec.choice("tags", "", kNames);
  if (name.empty()) return std::nullopt;
  return static_cast<TagScheme>(std::ranges::find(kNames, name) - kNames.begin());
}

}  // namespace

Dataset load_conll(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 1> kKeys{"tags"};
  spec.split_off_options(kKeys);
  const std::optional<TagScheme> scheme = scheme_of(spec);
  const DataSpec::Files files = spec.files();
  const std::string train = read_text_file(files.train), dev = files.dev.empty() ? "" : read_text_file(files.dev);
  std::vector<std::vector<TaggedSentence>> parts{parse_conll(train, files.train)};
  if (!files.dev.empty()) parts.push_back(parse_conll(dev, files.dev));
  TagRewriter rewriter(scheme.value_or(TagScheme::kIob2));
  TagNames names;
  for (auto& part : parts)
    for (TaggedSentence& sentence : part) {
      if (scheme) rewriter.rewrite(sentence);
      names.add(sentence);
    }
  WordCounts counts;
  for (const TaggedSentence& sentence : parts[0])
    for (const auto token : sentence.tokens) ++counts[token];
  Dataset data = words_and_tags(std::move(counts), names, "conll", options);
  parts[0].resize(limited(std::ssize(parts[0]), options));
  data.train = to_graphs(parts[0], data, files.train, options.limits);
  data.dev = GraphSet(chain_schema(), options.limits);
  if (!files.dev.empty()) data.dev = to_graphs(parts[1], data, files.dev, options.limits);
  return data;
}

}  // namespace cavs

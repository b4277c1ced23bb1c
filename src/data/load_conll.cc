#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cavs/readers.h"
#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/sentence_graph.h"
#include "data/tag_scheme.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {
namespace {

const GraphSchema& schema_of(const DataOptions& options) {
  static const GraphSchema plain = chain_schema(), spelled = spelled_chain_schema();
  return options.spelled_below > 0 ? spelled : plain;
}

GraphSet to_graphs(std::span<const TaggedSentence> sentences, const Dataset& data, const std::string& name,
                   const DataOptions& options) {
  GraphSet graphs(schema_of(options), options.limits);
  for (const TaggedSentence& sentence : sentences)
    graphs.add(to_tagger_chain(sentence, data.words, tag_ids(sentence, data.tags, name), options.spelled_below > 0),
               fmt::format("{}:{}", name, sentence.line));
  return graphs;
}

}  // namespace

Dataset load_conll(DataSpec& spec, const DataOptions& given) {
  DataOptions options = given;
  options.min_count = std::max(given.min_count, given.spelled_below);
  constexpr std::array<std::string_view, 1> kKeys{"tags"};
  spec.split_off_options(kKeys);
  std::optional<TagScheme> scheme = scheme_for(spec, options.tag_scheme);
  const DataSpec::Files files = spec.files();
  const std::string train = text_of(files.train, options), dev = files.dev.empty() ? "" : text_of(files.dev, options);
  std::vector<std::vector<TaggedSentence>> parts{parse_conll(train, files.train)};
  if (!files.dev.empty()) parts.push_back(parse_conll(dev, files.dev));
  const bool rewrites = scheme.has_value();
  if (!rewrites) scheme = detect_scheme(parts);
  TagRewriter rewriter(scheme.value_or(TagScheme::kIob2));
  TagNames names;
  for (auto& part : parts)
    for (TaggedSentence& sentence : part) {
      if (rewrites) rewriter.rewrite(sentence);
      names.add(sentence);
    }
  WordCounts counts;
  for (const TaggedSentence& sentence : parts[0])
    for (const auto token : sentence.tokens) ++counts[token];
  Dataset data = words_and_tags(std::move(counts), names, "conll", options);
  if (scheme) data.tag_scheme = kTagSchemeNames[static_cast<std::size_t>(*scheme)];
  parts[0].resize(limited(std::ssize(parts[0]), options));
  data.train = to_graphs(parts[0], data, files.train, options);
  data.dev = GraphSet(schema_of(options), options.limits);
  if (!files.dev.empty()) data.dev = to_graphs(parts[1], data, files.dev, options);
  return data;
}

void prepare_conll(DataSpec& spec, SampleOptions& options) {
  constexpr std::array<std::string_view, 1> kKeys{"tags"};
  spec.split_off_options(kKeys);
  scheme_for(spec, options.tag_scheme);
}

}  // namespace cavs::inline v0_1

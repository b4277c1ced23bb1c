#include "data/input_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cavs/readers.h"
#include "data/entities.h"
#include "data/sentence_graph.h"
#include "data/tag_scheme.h"
#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the number of each tag; -1 for a tag that is unknown or missing.
std::vector<std::int32_t> labels_of(const TaggedSentence& sentence, const std::vector<std::string>& tags) {
  std::vector<std::int32_t> labels(sentence.tokens.size(), -1);
  for (std::size_t t = 0; t < sentence.tags.size(); ++t)
    if (const auto at = std::ranges::find(tags, sentence.tags[t]); at != tags.end())
      labels[t] = static_cast<std::int32_t>(at - tags.begin());
  return labels;
}

InputGraph graph_of(const TaggedSentence& sentence, const std::string& where, const SampleOptions& options) {
  const std::vector<std::int32_t> labels = labels_of(sentence, options.class_names);
  if (options.schema != lattice_schema())
    return to_tagger_chain(sentence, options.words, labels, options.schema == spelled_chain_schema());
  user_check(!lacks_lexicon(options),
             "{}: the model reads lattices of characters and words, but no lexicon is given; {}", where,
             expected_input(options));
  return to_lattice(sentence, options.lexicon->matches(sentence.tokens), options.words, labels);
}

/// True for a tag that the model knows, in any scheme, and for a text that is_no_label().
bool is_known_tag(std::string_view word, const SampleOptions& options) {
  const std::string_view entity_class = parse_tag(word).entity_class;
  const bool prefixed = word.size() == entity_class.size() + 2;
  return is_no_label(word) || std::ranges::any_of(options.class_names, [&](const std::string& tag) {
           return tag == word || (prefixed && !entity_class.empty() && parse_tag(tag).entity_class == entity_class);
         });
}

}  // namespace

bool takes_sentences(const SampleOptions& options) {
  const GraphSchema& schema = options.schema;
  return schema == chain_schema() || schema == spelled_chain_schema() || schema == lattice_schema();
}

bool lacks_lexicon(const SampleOptions& options) {
  return options.schema == lattice_schema() && options.lexicon == nullptr;
}

std::vector<std::int32_t> predicting_vertices(const InputGraph& graph, const SampleOptions& options) {
  const bool lattice = options.schema == lattice_schema();
  const auto& types = options.schema.types;
  const auto type = static_cast<std::int32_t>(std::ranges::find(types, lattice ? "position" : "token") - types.begin());
  std::vector<std::int32_t> vertices;
  for (std::size_t v = lattice ? 1 : 0; v < graph.types.size(); ++v)
    if (graph.types[v] == type) vertices.push_back(static_cast<std::int32_t>(v));
  return vertices;
}

bool begins_columns(std::string_view lines, const SampleOptions& options) {
  std::size_t count = 0, number = 0;
  std::string_view tag;
  std::vector<std::string_view> columns;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = take_part(rest, '\n');
    split_columns(line, columns);
    if (!columns.empty() && columns.front() == "-DOCSTART-") return true;
    if (number == 0 && line.starts_with('#') && !rest.empty()) continue;  // a comment above a sentence
    if (columns.size() < 2 || (number++ > 0 && columns.size() != count)) return false;
    count = columns.size();
    const auto at = static_cast<std::size_t>(options.tag_column);
    tag = at > 0 && at <= count ? columns[at - 1] : columns.back();
    if (!is_known_tag(tag, options)) return false;
  }
  return number > 1 || lines.find('\t') != lines.npos || (number == 1 && count == 2 && tag != kOutside);
}

bool may_begin_columns(std::string_view line, const SampleOptions& options) {
  if (!takes_sentences(options) || line.starts_with('{')) return false;
  std::vector<std::string_view> columns;
  split_columns(line, columns);
  return columns.size() > 1 &&
         (line.starts_with('#') || is_known_tag(columns.back(), options) || options.tag_column > 0);
}

void add_sentence(TaggedSentence sentence, const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
  TagRewriter rewriter(find_tag_scheme(options.tag_scheme).value_or(TagScheme::kIob2));
  if (!options.tag_scheme.empty() && !sentence.tags.empty()) rewriter.rewrite(sentence);
  const std::string where = fmt::format("{}:{}", chunk.name, sentence.line);
  const InputGraph graph = graph_of(sentence, where, options);
  add_sample(graph, {chunk.text, chunk.name, sentence.line}, samples,
             {.tokens = {sentence.tokens.begin(), sentence.tokens.end()},
              .vertices = predicting_vertices(graph, options),
              .expected = {sentence.tags.begin(), sentence.tags.end()}});
}

}  // namespace cavs::inline v0_1

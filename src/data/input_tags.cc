#include "data/input_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cavs/readers.h"
#include "data/entities.h"
#include "data/sentence_graph.h"
#include "data/tag_scheme.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// The number of each tag; -1 where it has none.
std::vector<std::int32_t> labels_of(const TaggedSentence& sentence, const std::vector<std::string>& tags) {
  std::vector<std::int32_t> labels(sentence.tokens.size(), -1);
  for (std::size_t t = 0; t < sentence.tags.size(); ++t)
    if (const auto at = std::ranges::find(tags, sentence.tags[t]); at != tags.end())
      labels[t] = static_cast<std::int32_t>(at - tags.begin());
  return labels;
}

InputGraph graph_of(const TaggedSentence& sentence, const std::string& where, const SampleOptions& options) {
  const std::vector<std::int32_t> labels = labels_of(sentence, options.tags);
  if (options.schema != lattice_schema())
    return to_tagger_chain(sentence, options.words, labels, options.schema == spelled_chain_schema());
  user_check(!lacks_lexicon(options),
             "{}: the model reads lattices of characters and words, and the lexicon of these words is not known; {}",
             where, expected_input(options));
  return to_lattice(sentence, options.lexicon->matches(sentence.tokens), options.words, labels);
}

/// Whether a word is a tag of this class, in any scheme.
bool is_of_class(std::string_view word, std::string_view entity_class) {
  const std::string_view found = parse_tag(word).entity_class;
  return !entity_class.empty() && found == entity_class && word.size() == found.size() + 2;
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

bool begins_columns(std::string_view line, const SampleOptions& options) {
  const auto columns = split_words(line);
  if (columns.empty()) return false;
  if (columns.front() == "-DOCSTART-") return true;
  return columns.size() > 1 && std::ranges::any_of(options.tags, [&](const std::string& tag) {
           return tag == columns.back() || is_of_class(columns.back(), parse_tag(tag).entity_class);
         });
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

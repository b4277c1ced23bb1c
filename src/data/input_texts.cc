#include <vector>

#include "data/columns.h"
#include "data/input_form.h"
#include "data/text.h"
#include "data/text_chain.h"
#include "data/word_counts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kTwoTexts = "Is it far ?\tNo , it is not .", kOneText = "It works .";

bool takes_pairs_of_texts(const SampleOptions& options) { return options.text_columns.size() == 2; }

std::vector<std::int32_t> word_numbers(std::string_view text, const InputChunk& chunk, const Vocabulary& words) {
  std::vector<std::int32_t> numbers = word_ids(split_words(text), words);
  user_check(!numbers.empty(), "{}:{}: found a text without a word; expected a text such as '{}'", chunk.name,
             chunk.line, kOneText);
  return numbers;
}

/// Adds the float ports of the schema to a graph. They are absent at all vertices.
void leave_float_ports_absent(const GraphSchema& schema, InputGraph& graph) {
  for (const auto& port : schema.float_ports) {
    graph.float_pulls.emplace_back(graph.types.size() * static_cast<std::size_t>(port.width), 0.0F);
    graph.float_present.emplace_back(graph.types.size(), 0);
  }
}

void read_texts(const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
  std::string_view rest = chunk.text;
  const std::string_view line = take_line(rest, chunk.name, chunk.line);
  const auto texts = split_tabs(line);
  const bool two = takes_pairs_of_texts(options);
  user_check(texts.size() == options.text_columns.size(),
             "{}:{}: found {} texts separated by tabs; expected {}, as in '{}'; 'table:FILE,...' reads columns",
             chunk.name, chunk.line, texts.size(), two ? "two" : "one", two ? kTwoTexts : kOneText);
  std::vector<std::vector<std::int32_t>> words;
  words.reserve(texts.size());
  for (const std::string_view text : texts) words.push_back(word_numbers(text, chunk, options.words));
  if (options.schema == tree_pair_schema())
    return add_sample(to_tree_pair(to_word_chain(words[0]), to_word_chain(words[1]), std::nullopt), chunk, samples);
  InputGraph graph = to_text_graph(words);
  leave_float_ports_absent(options.schema, graph);
  add_sample(graph, chunk, samples);
}

}  // namespace

extern const InputForm kTextsInput{
    .name = "texts",
    .doc = "a text, or two texts separated by a tab, as in the table",
    .extent = InputForm::Extent::kLine,
    .fits = [](const SampleOptions& options) { return !options.text_columns.empty(); },
    .begins = [](std::string_view line, const SampleOptions&) { return !line.starts_with('{'); },
    .example =
        [](const SampleOptions& options) { return std::string(takes_pairs_of_texts(options) ? kTwoTexts : kOneText); },
    .read = read_texts,
};

}  // namespace cavs::inline v0_1

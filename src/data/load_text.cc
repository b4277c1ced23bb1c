#include <algorithm>
#include <array>

#include "cavs/readers.h"
#include "data/data_kinds.h"
#include "data/text_stream.h"
#include "data/word_counts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// The way in which a text is cut into chains.
struct Cut {
  std::int64_t steps = 0;  // words per chain; 0 for one chain per line
  std::int64_t limit = 0;  // maximum number of chains; 0 for all
};

std::vector<std::int32_t> to_ids(const TextLine& line, const Vocabulary& words, std::int32_t end) {
  std::vector<std::int32_t> ids = word_ids(split_words(line.text), words);
  ids.push_back(end);
  return ids;
}

/// Cuts the text, as one stream of words, into chains of cut.steps words. Words that are left at the end are dropped.
GraphSet to_equal_chains(std::span<const TextLine> lines, const Vocabulary& words, const std::string& name,
                         const Cut& cut, const GraphLimits& limits) {
  const std::int32_t end = words.id(Vocabulary::kEndOfLine);
  std::vector<std::int32_t> stream;
  for (const TextLine& line : lines) {
    const auto ids = to_ids(line, words, end);
    stream.insert(stream.end(), ids.begin(), ids.end());
  }
  const std::int64_t all = std::ssize(stream) / cut.steps, chains = cut.limit > 0 ? std::min(all, cut.limit) : all;
  user_check(
      all > 0,
      "{}: the text has {} words, including an {} per line, which is less than one chain of steps={}; use fewer steps",
      name, stream.size(), Vocabulary::kEndOfLine, cut.steps);
  GraphSet graphs(chain_schema(), limits);
  for (std::int64_t i = 0; i < chains; ++i) {
    const auto words_of_chain = std::span(stream).subspan(i * cut.steps, cut.steps);
    graphs.add(to_chain(i == 0 ? end : stream[i * cut.steps - 1], words_of_chain), fmt::format("{} chain {}", name, i));
  }
  return graphs;
}

GraphSet to_graphs(std::span<const TextLine> lines, const Vocabulary& words, const std::string& name, const Cut& cut,
                   const GraphLimits& limits) {
  if (cut.steps > 0) return to_equal_chains(lines, words, name, cut, limits);
  const std::int32_t end = words.id(Vocabulary::kEndOfLine);
  if (cut.limit > 0) lines = lines.first(std::min(lines.size(), static_cast<std::size_t>(cut.limit)));
  GraphSet graphs(chain_schema(), limits);
  for (const TextLine& line : lines)
    graphs.add(to_chain(end, to_ids(line, words, end)), fmt::format("{}:{}", name, line.number));
  return graphs;
}

/// Opens the training part as a stream, after a first pass over the file that counts its words.
void stream_train(Dataset& data, const std::string& file, std::int32_t max_size, const Cut& cut,
                  const DataOptions& options) {
  user_check(options.texts == nullptr || !options.texts->contains(file),
             "data 'text': '{}' is a text in memory, which cannot be streamed; expected a file", file);
  user_check(cut.steps == 0, "data 'text': chains of steps={} cannot be streamed; expected one sample per line",
             cut.steps);
  TextReader reader(file);
  const TextSummary summary = summarise_text(reader);
  WordCounts counts(summary.counts.begin(), summary.counts.end());
  data.words =
      options.words != nullptr
          ? *options.words
          : most_frequent(std::move(counts), {std::string(Vocabulary::kUnknown), std::string(Vocabulary::kEndOfLine)},
                          options.min_count, max_size);
  end_of_line(data.words, "text", options.classes);
  data.train = GraphSet(chain_schema(), options.limits);
  data.stream = std::make_shared<TextStream>(std::move(reader), summary, data.words, limited(summary.lines, options));
}

void load_train(Dataset& data, const std::string& file, std::int32_t max_size, const Cut& cut,
                const DataOptions& options) {
  const std::string text = text_of(file, options);
  const std::vector<TextLine> lines = parse_text(text, file);
  data.words = options.words != nullptr ? *options.words : Vocabulary::from_lines(lines, options.min_count, max_size);
  end_of_line(data.words, "text", options.classes);
  data.train = to_graphs(lines, data.words, file, cut, options.limits);
}

}  // namespace

Dataset load_text(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 2> kKeys{"vocabulary", "steps"};
  spec.split_off_options(kKeys);
  const auto max_size = static_cast<std::int32_t>(spec.integer("vocabulary", options.vocabulary, 2, 100'000'000));
  Cut cut{.steps = spec.integer("steps", options.steps, 1, kMaxChainLength), .limit = options.limit};
  const DataSpec::Files files = spec.files();
  Dataset data;
  (options.stream ? stream_train : load_train)(data, files.train, max_size, cut, options);
  data.classes = data.words.size();
  data.dev = GraphSet(chain_schema(), options.limits);
  cut.limit = 0;
  if (files.dev.empty()) return data;
  const std::string dev = text_of(files.dev, options);
  data.dev = to_graphs(parse_text(dev, files.dev), data.words, files.dev, cut, options.limits);
  return data;
}

}  // namespace cavs::inline v0_1

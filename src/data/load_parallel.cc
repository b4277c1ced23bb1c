#include <algorithm>

#include "data/data_kinds.h"
#include "data/word_counts.h"
#include "support/check.h"

namespace cavs {
namespace {

/// The two files of a part, and the lines of each; those of one number are each other's translation.
struct Part {
  std::string source_name, target_name, source_text, target_text;
  std::vector<TextLine> source, target;
};

void check_pairs(const Part& part) {
  const std::size_t pairs = std::min(part.source.size(), part.target.size());
  std::size_t i = 0;
  while (i < pairs && part.source[i].number == part.target[i].number) ++i;
  if (i == part.source.size() && i == part.target.size()) return;
  const bool extra_source =
      i == part.target.size() || (i < part.source.size() && part.source[i].number < part.target[i].number);
  const std::int64_t number = (extra_source ? part.source : part.target)[i].number;
  user_error("{}:{}: no translation, line {} of {} is blank or missing; expected a line for each line",
             extra_source ? part.source_name : part.target_name, number, number,
             extra_source ? part.target_name : part.source_name);
}

/// `files` is "SOURCE+TARGET".
Part read_part(const std::string& files) {
  const auto plus = files.find('+');
  user_check(plus != files.npos && plus > 0 && plus + 1 < files.size(),
             "data 'parallel': found '{}'; expected two files, SOURCE+TARGET, whose lines are translations", files);
  Part part;
  part.source_name = files.substr(0, plus), part.target_name = files.substr(plus + 1);
  part.source_text = read_text_file(part.source_name), part.target_text = read_text_file(part.target_name);
  part.source = parse_text(part.source_text, part.source_name);
  part.target = parse_text(part.target_text, part.target_name);
  check_pairs(part);
  return part;
}

std::vector<std::int32_t> to_ids(const TextLine& line, const Vocabulary& words) {
  std::vector<std::int32_t> ids;
  for (const auto word : split_words(line.text)) ids.push_back(words.id(word));
  return ids;
}

GraphSet to_graphs(const Part& part, std::int64_t pairs, const Dataset& data, const GraphLimits& limits) {
  const std::int32_t end = data.words.id(Vocabulary::kEndOfLine);
  GraphSet graphs(translation_schema(), limits);
  for (std::int64_t i = 0; i < pairs; ++i) {
    std::vector<std::int32_t> target = to_ids(part.target[i], data.words);
    for (std::int32_t& id : target) id = id < data.classes ? id : 0;  // a word of the source language alone
    target.push_back(end);
    graphs.add(to_translation(to_ids(part.source[i], data.words), end, target),
               fmt::format("{}:{}", part.target_name, part.target[i].number));
  }
  return graphs;
}

PairedText to_text(const Part& part, std::int64_t pairs) {
  PairedText text;
  for (std::int64_t i = 0; i < pairs; ++i) {
    text.source.emplace_back(part.source[i].text);
    text.target.emplace_back(part.target[i].text);
  }
  return text;
}

}  // namespace

Dataset load_parallel(DataSpec& spec, const DataOptions& options) {
  const DataSpec::Files files = spec.files();
  const Part train = read_part(files.train);
  Dataset data;
  if (options.words != nullptr) {
    data.words = *options.words;
    data.classes = options.classes > 0 ? options.classes : data.words.size();
  } else {
    const Vocabulary target = Vocabulary::from_lines(train.target, options.min_count, options.vocabulary);
    const Vocabulary source = Vocabulary::from_lines(train.source, options.min_count, options.vocabulary);
    data.words = joined(target, source);
    data.classes = target.size();
  }
  end_of_line(data.words, "parallel", 0);
  const std::int64_t pairs = limited(std::ssize(train.source), options);
  data.train = to_graphs(train, pairs, data, options.limits);
  data.train_text = to_text(train, pairs);
  data.dev = GraphSet(translation_schema(), options.limits);
  if (files.dev.empty()) return data;
  const Part dev = read_part(files.dev);
  data.dev = to_graphs(dev, std::ssize(dev.source), data, options.limits);
  data.dev_text = to_text(dev, std::ssize(dev.source));
  return data;
}

}  // namespace cavs

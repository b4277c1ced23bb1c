#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "cavs/readers.h"
#include "data/data_kinds.h"
#include "data/word_counts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// The two files of a part and their lines. Line n of one file is the translation of line n of the other file.
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
  user_error("{}:{}: no translation, because line {} of {} is blank or missing; expected a line for each line",
             extra_source ? part.source_name : part.target_name, number, number,
             extra_source ? part.target_name : part.source_name);
}

using Names = std::pair<std::string, std::string>;

/// Splits "SOURCE+TARGET". File names may contain '+', so the text is split at the '+' for which both files exist.
Names split_pair(const std::string& files) {
  std::vector<Names> possible, there;
  for (auto plus = files.find('+'); plus != files.npos; plus = files.find('+', plus + 1)) {
    Names names{files.substr(0, plus), files.substr(plus + 1)};
    if (names.first.empty() || names.second.empty()) continue;
    std::error_code ignored;
    if (std::filesystem::exists(names.first, ignored) && std::filesystem::exists(names.second, ignored))
      there.push_back(names);
    possible.push_back(std::move(names));
  }
  user_check(!possible.empty(),
             "data 'parallel': found '{}'; expected two files, SOURCE+TARGET, whose lines are translations", files);
  if (possible.size() == 1) return possible.front();  // if a file is missing, opening it reports that
  user_check(!there.empty(),
             "data 'parallel': found '{}'; expected SOURCE+TARGET with two existing files, but none of its {} '+' "
             "separates such files; check their names",
             files, possible.size());
  user_check(there.size() == 1,
             "data 'parallel': found '{}', which may be {} + {} or {} + {}; rename a file to make it unique", files,
             there.front().first, there.front().second, there.back().first, there.back().second);
  return there.front();
}

/// @param files  "SOURCE+TARGET"
Part read_part(const std::string& files, const DataOptions& options) {
  Part part;
  std::tie(part.source_name, part.target_name) = split_pair(files);
  part.source_text = text_of(part.source_name, options);
  part.target_text = text_of(part.target_name, options);
  part.source = parse_text(part.source_text, part.source_name);
  part.target = parse_text(part.target_text, part.target_name);
  check_pairs(part);
  return part;
}

GraphSet to_graphs(const Part& part, std::int64_t pairs, const Dataset& data, const GraphLimits& limits) {
  const std::int32_t end = data.words.id(Vocabulary::kEndOfLine);
  GraphSet graphs(translation_schema(), limits);
  for (std::int64_t i = 0; i < pairs; ++i) {
    std::vector<std::int32_t> target = word_ids(split_words(part.target[i].text), data.words);
    for (std::int32_t& id : target) id = id < data.classes ? id : 0;  // <unk> for words that only sources have
    target.push_back(end);
    graphs.add(to_translation(word_ids(split_words(part.source[i].text), data.words), end, target),
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

std::vector<std::string> parallel_files(DataSpec& spec) {
  std::vector<std::string> all;
  for (const std::string& part : {spec.files().train, spec.files().dev}) {
    if (part.empty()) continue;
    auto [source, target] = split_pair(part);
    all.push_back(std::move(source));
    all.push_back(std::move(target));
  }
  return all;
}

Dataset load_parallel(DataSpec& spec, const DataOptions& options) {
  const DataSpec::Files files = spec.files();
  const Part train = read_part(files.train, options);
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
  const Part dev = read_part(files.dev, options);
  data.dev = to_graphs(dev, std::ssize(dev.source), data, options.limits);
  data.dev_text = to_text(dev, std::ssize(dev.source));
  return data;
}

}  // namespace cavs::inline v0_1

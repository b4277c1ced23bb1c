#include <algorithm>
#include <istream>
#include <limits>
#include <sstream>
#include <utility>

#include "cavs/readers.h"
#include "cavs/sentence_graphs.h"
#include "cavs/vocabulary.h"
#include "data/jsonl.h"
#include "data/text.h"
#include "support/check.h"

namespace cavs {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

char first_character(std::string_view text) {
  const auto at = text.find_first_not_of(kSpace);
  return at == text.npos ? '\0' : text[at];
}

/// Opening minus closing brackets of a line.
std::int64_t balance(std::string_view line, char open, char close) {
  return std::count(line.begin(), line.end(), open) - std::count(line.begin(), line.end(), close);
}

}  // namespace

SampleReader::SampleReader(std::istream& in, SampleOptions options) : in_(in), options_(std::move(options)) {}

Samples SampleReader::next(std::int64_t max_samples) {
  Samples samples{.trees = {}, .graphs = GraphSet(options_.schema, options_.limits)};
  while (samples.graphs.size() < max_samples) {
    const std::string chunk = next_chunk();
    if (chunk.empty()) break;
    parse_chunk(chunk, samples);
  }
  return samples;
}

/// A JSON line, or the lines up to the one where all brackets are closed. Empty at the end of the stream.
std::string SampleReader::next_chunk() {
  std::string chunk, line;
  char open = '\0';
  std::int64_t depth = 0;
  while (std::getline(in_, line)) {
    if (++line_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (open == '\0') {
      open = first_character(line);
      chunk_line_ = line_;
      if (open == '\0' && line.find_first_not_of(kSpace) == line.npos) continue;
    }
    chunk += line += '\n';
    if (open != '(' && open != '[') break;
    depth += balance(line, open, open == '(' ? ')' : ']');
    if (depth <= 0) break;
  }
  user_check(!in_.bad(), "{}: cannot read on after line {}", options_.name, line_);
  return chunk;
}

void SampleReader::parse_chunk(std::string_view chunk, Samples& samples) const {
  const auto name_line = fmt::format("{}:{}", options_.name, chunk_line_);
  const char first = first_character(chunk);
  if (first == '{') {
    samples.graphs.add(parse_jsonl_graph(chunk, options_.name, chunk_line_, options_.schema), name_line);
    samples.trees.emplace_back();
    return;
  }
  user_check(!options_.ids_only,
             "{}: the model was saved without a vocabulary, so it knows no words; expected a JSON line with the ids of "
             "words, or a checkpoint that was saved with its vocabulary (Checkpoint::vocabulary), found '{}'",
             name_line, excerpt(chunk.substr(0, chunk.find('\n'))));
  const std::string_view text = checked_text(chunk, options_.name, chunk_line_);
  if (first != '(' && first != '[')
    user_error("{}: expected a tree '(', a ListOps expression '[' or a JSON line '{{', found '{}'", name_line,
               excerpt(text.substr(0, text.find('\n'))));
  user_check(options_.schema == tree_schema(),
             "{}: found a tree, but the model's vertices are no tree's; expected a JSON line", name_line);
  const TreebankOptions reading{.classes = options_.classes, .require_labels = false, .first_line = chunk_line_};
  std::vector<Tree> trees =
      first == '(' ? parse_treebank(text, options_.name, reading) : parse_listops(text, options_.name, chunk_line_);
  for (Tree& tree : trees) {
    samples.graphs.add(to_graph(tree, options_.words), fmt::format("{}:{}", options_.name, tree.line));
    samples.trees.push_back(std::move(tree));
  }
}

Samples parse_samples(std::string_view text, SampleOptions options) {
  std::istringstream in{std::string(text)};
  return SampleReader(in, std::move(options)).next(std::numeric_limits<std::int64_t>::max());
}

}  // namespace cavs

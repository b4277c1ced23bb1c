#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <span>
#include <sstream>
#include <utility>

#include "cavs/readers.h"
#include "data/input_form.h"
#include "data/input_tags.h"
#include "data/lexicon.h"
#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

extern const InputForm kConllInput;

namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

bool is_blank(std::string_view line) { return line.find_first_not_of(kSpace) == line.npos; }

/// Returns the number of opening brackets of a line, minus the number of closing brackets.
std::int64_t balance(std::string_view line, char open, char close) {
  return std::count(line.begin(), line.end(), open) - std::count(line.begin(), line.end(), close);
}

/// True if the sample ends with this line. `depth`, the number of open brackets, is updated.
bool ends_sample(InputForm::Extent extent, std::string_view line, std::int64_t& depth) {
  switch (extent) {
    case InputForm::Extent::kLine:
      return true;
    case InputForm::Extent::kParagraph:
      return is_blank(line);
    case InputForm::Extent::kRoundBrackets:
      return (depth += balance(line, '(', ')')) <= 0;
    case InputForm::Extent::kSquareBrackets:
      return (depth += balance(line, '[', ']') + balance(line, '(', ')')) <= 0;
  }
  return true;
}

}  // namespace

std::shared_ptr<const Lexicon> read_lexicon(const std::string& path) {
  return std::make_shared<Lexicon>(read_text_file(path), path);
}

SampleReader::SampleReader(std::istream& in, SampleOptions options) : in_(in), options_(std::move(options)) {
  if (!options_.form.empty()) find_input_form(options_);
}

Samples SampleReader::next(std::int64_t max_samples) {
  Samples samples{.trees = {}, .graphs = GraphSet(options_.schema, options_.limits)};
  while (samples.graphs.size() < max_samples && add_chunk(samples)) continue;
  return samples;
}

bool SampleReader::take_line(std::string& line) {
  if (!ahead_.empty()) {
    line = std::move(ahead_.front());
    ahead_.pop_front();
  } else if (!std::getline(in_, line)) {
    return false;
  }
  ++line_;
  while (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  return true;
}

/// Guesses the form of a sample that begins with this line. A single line that ends in "O" is a plain sentence, unless
/// sentences in columns preceded it, with the same number of columns.
const InputForm& SampleReader::guess(std::string_view text, const std::string& where) {
  if (!may_begin_columns(text, options_)) return guess_input_form(text, where, options_);
  const InputForm& form = guess_input_form(look_ahead(std::string(text)), where, options_);
  std::vector<std::string_view> columns;
  split_columns(text, columns);
  if (&form != &kConllInput) return columns.size() == columns_ ? kConllInput : form;
  if (!text.starts_with('#') && !text.starts_with("-DOCSTART-")) columns_ = columns.size();
  return form;
}

/// Returns the line and the lines after it, up to a blank line or the first line that does not belong to a sentence in
/// columns. If these lines are not such a sentence, each line is a sentence by itself, and none is examined again.
std::string SampleReader::look_ahead(const std::string& line) {
  if (sentences_left_ > 0) {
    --sentences_left_;
    return line;
  }
  std::string lines = line, next;
  std::int64_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == std::ssize(ahead_) && std::getline(in_, next)) ahead_.push_back(std::move(next));
    more = count < std::ssize(ahead_) && may_begin_columns(ahead_[count], options_);
    if (count < std::ssize(ahead_) && !is_blank(ahead_[count])) lines += '\n' + ahead_[count];
  }
  if (begins_columns(lines, options_)) return lines;
  sentences_left_ = count - 1;
  return line;
}

/// Adds the samples of the next chunk: a line, or all lines of a sample, without the last line end. Returns false at
/// the end of the stream.
bool SampleReader::add_chunk(Samples& samples) {
  std::string chunk, line;
  std::int64_t begin = 0, depth = 0;
  const InputForm* form = nullptr;
  while (take_line(line)) {
    if (form == nullptr) {
      if (is_blank(line)) continue;
      begin = line_;
      const std::string where = fmt::format("{}:{}", options_.name, begin);
      const std::string_view text = checked_text(line, options_.name, begin).substr(line.find_first_not_of(kSpace));
      user_check(!options_.ids_only || (text.starts_with('{') && (options_.form.empty() || options_.form == "jsonl")),
                 "{}: the model was saved without a vocabulary; expected a JSON line with ids of words, or a "
                 "checkpoint with a vocabulary (Checkpoint::data), found '{}'",
                 where, excerpt(text));
      if (options_.form.empty())
        form = &guess(text, where);
      else
        form = &find_input_form(options_);
    }
    chunk += line += '\n';
    if (ends_sample(form->extent, line, depth)) break;
  }
  user_check(!in_.bad(), "{}: cannot read after line {}", options_.name, line_);
  if (form == nullptr) return false;
  chunk.pop_back();
  const std::size_t known = samples.texts.size();
  form->read({checked_text(chunk, options_.name, begin), options_.name, begin}, options_, samples);
  for (SampleText& text : std::span(samples.texts).subspan(known))
    if (text.where.empty()) text.where = fmt::format("{}:{}", options_.name, begin);
  return true;
}

Samples parse_samples(std::string_view text, SampleOptions options) {
  std::istringstream in{std::string(text)};
  return SampleReader(in, std::move(options)).next(std::numeric_limits<std::int64_t>::max());
}

}  // namespace cavs::inline v0_1

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <sstream>
#include <utility>

#include "cavs/readers.h"
#include "data/input_form.h"
#include "data/lexicon.h"
#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kSpace = " \t\r\n\v\f";

bool is_blank(std::string_view line) { return line.find_first_not_of(kSpace) == line.npos; }

/// Opening minus closing brackets of a line.
std::int64_t balance(std::string_view line, char open, char close) {
  return std::count(line.begin(), line.end(), open) - std::count(line.begin(), line.end(), close);
}

/// Whether a sample ends with a line. `depth`: of the brackets that are open before it, which the line changes.
bool ends_sample(InputForm::Extent extent, std::string_view line, std::int64_t& depth) {
  switch (extent) {
    case InputForm::Extent::kLine:
      return true;
    case InputForm::Extent::kParagraph:
      return is_blank(line);
    case InputForm::Extent::kRoundBrackets:
      return (depth += balance(line, '(', ')')) <= 0;
    case InputForm::Extent::kSquareBrackets:
      return (depth += balance(line, '[', ']')) <= 0;
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

/// A line, or the lines up to where the sample that begins there ends, without the last line's end. False at the end of
/// the stream.
bool SampleReader::add_chunk(Samples& samples) {
  std::string chunk, line;
  std::int64_t begin = 0, depth = 0;
  const InputForm* form = nullptr;
  while (std::getline(in_, line)) {
    if (++line_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (form == nullptr) {
      if (is_blank(line)) continue;
      begin = line_;
      const std::string where = fmt::format("{}:{}", options_.name, begin);
      const std::string_view text = checked_text(line, options_.name, begin).substr(line.find_first_not_of(kSpace));
      user_check(
          !options_.ids_only || (text.starts_with('{') && (options_.form.empty() || options_.form == "jsonl")),
          "{}: the model was saved without a vocabulary, so it knows no words; expected a JSON line with the ids "
          "of words, or a checkpoint that was saved with its vocabulary (Checkpoint::data), found '{}'",
          where, excerpt(text));
      form = options_.form.empty() ? &guess_input_form(text, where, options_) : &find_input_form(options_);
    }
    chunk += line += '\n';
    if (ends_sample(form->extent, line, depth)) break;
  }
  user_check(!in_.bad(), "{}: cannot read on after line {}", options_.name, line_);
  if (form == nullptr) return false;
  chunk.pop_back();
  form->read({checked_text(chunk, options_.name, begin), options_.name, begin}, options_, samples);
  for (SampleText& text : samples.texts)
    if (text.where.empty()) text.where = fmt::format("{}:{}", options_.name, begin);
  return true;
}

Samples parse_samples(std::string_view text, SampleOptions options) {
  std::istringstream in{std::string(text)};
  return SampleReader(in, std::move(options)).next(std::numeric_limits<std::int64_t>::max());
}

}  // namespace cavs::inline v0_1

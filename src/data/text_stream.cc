#include "data/text_stream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cavs/readers.h"
#include "data/text.h"
#include "data/word_counts.h"
#include "support/check.h"
#include "support/hash.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the non-blank lines of a part of a text. The part begins with line number `first`.
std::vector<TextLine> lines_of(std::string_view piece, const std::string& name, std::int64_t first) {
  const bool blank = std::ranges::all_of(piece, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  return blank ? std::vector<TextLine>() : parse_text(piece, name, first);
}

std::int64_t count_ends(std::string_view piece) { return std::ranges::count(piece, '\n'); }

}  // namespace

TextSummary summarise_text(TextReader& reader) {
  TextSummary summary;
  ContentHash hash;
  std::int64_t line = 1;
  for (std::string piece = reader.next_lines(); !piece.empty(); piece = reader.next_lines()) {
    hash.update(std::as_bytes(std::span(piece)));
    for (const TextLine& each : lines_of(piece, reader.path(), line)) {
      ++summary.lines;
      for (const auto word : split_words(each.text)) ++summary.counts[std::string(word)];
    }
    line += count_ends(piece);
  }
  user_check(summary.lines > 0, "{}:{}: no word; expected a sentence or paragraph per line, found the end of the text",
             reader.path(), line);
  summary.content_hash = hash.digest();
  return summary;
}

TextStream::TextStream(TextReader reader, const TextSummary& summary, Vocabulary words, std::int64_t samples)
    : reader_(std::move(reader)),
      words_(std::move(words)),
      end_(words_.id(Vocabulary::kEndOfLine)),
      samples_(std::min(samples, summary.lines)),
      content_hash_(summary.content_hash) {
  rewind();
}

void TextStream::rewind() {
  reader_.rewind();
  text_.clear();
  lines_.clear();
  next_ = 0;
  first_line_ = 1;
}

void TextStream::read_lines() {
  first_line_ += count_ends(text_);
  text_ = reader_.next_lines();
  user_check(!text_.empty(), "{}:{}: the text ended before its {} samples; the file has changed since it was counted",
             reader_.path(), first_line_, samples_);
  lines_ = lines_of(text_, reader_.path(), first_line_);
  next_ = 0;
}

InputGraph TextStream::next() {
  while (next_ == lines_.size()) read_lines();
  std::vector<std::int32_t> ids = word_ids(split_words(lines_[next_++].text), words_);
  ids.push_back(end_);
  return to_chain(end_, ids);
}

}  // namespace cavs::inline v0_1

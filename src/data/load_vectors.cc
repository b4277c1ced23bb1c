#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "cavs/vectors.h"
#include "data/text.h"
#include "data/vector_collector.h"
#include "data/vector_file.h"
#include "support/check.h"
#include "support/parse_number.h"

namespace cavs {
namespace {

constexpr std::int32_t kWidest = 65'536;
constexpr std::size_t kLongestWord = 10'000, kLooksLikeText = 65'536;
constexpr std::string_view kFastText = "\xBA\x16\x4F\x2F";
constexpr std::string_view kVectorForms = "the vectors of words in GloVe's or word2vec's form";

/// The first line of word2vec's forms.
struct Header {
  std::int64_t words = 0;
  std::int32_t width = 0;
};

std::optional<Header> header_of(std::string_view line) {
  const auto fields = split_words(line);
  if (fields.size() != 2) return std::nullopt;
  const auto words = parse_number<std::int64_t>(fields[0]);
  const auto width = parse_number<std::int32_t>(fields[1]);
  return words && width && *words >= 0 ? std::optional(Header{*words, *width}) : std::nullopt;
}

/// Bytes that a text does not have, but four bytes of a float soon do.
bool is_binary(std::string_view bytes) {
  return std::ranges::any_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x09 || (byte > 0x0D && byte < 0x20);
  });
}

class Reader {
 public:
  Reader(const std::string& path, const Vocabulary& words) : file_(path), words_(words), collector_(words) {}

  WordVectors read() && {
    user_check(file_.peek(kFastText.size()) != kFastText,
               "{}: a model of fastText, with the parts that words are made of; expected {}: take the .vec file beside "
               "it, or write one with fastText's print-word-vectors",
               file_.path(), kVectorForms);
    const std::string_view first = file_.peek(256);
    const auto header = header_of(first.substr(0, first.find('\n')));
    if (header) {
      file_.take_line();
      set_width(header->width, where(1));
    }
    if (header && is_binary(file_.peek(kLooksLikeText)))
      read_binary(header->words);
    else
      read_text(header);
    return checked(std::move(collector_).finish(width_));
  }

 private:
  std::string where(std::int64_t line) const { return fmt::format("{}:{}", file_.path(), line); }

  void set_width(std::int64_t width, const std::string& at) {
    user_check(width >= 1 && width <= kWidest, "{}: vectors of {} numbers; expected 1 to {}", at, width, kWidest);
    width_ = static_cast<std::int32_t>(width);
    numbers_.resize(width_);
  }

  void read_text(const std::optional<Header>& header) {
    std::int64_t line = header ? 1 : 0, words = 0;
    while (const auto text = file_.take_line()) {
      ++line;
      const auto fields = split_words(*text);
      if (fields.empty()) continue;
      if (width_ == 0) set_width(std::ssize(fields) - 1, where(line));
      read_fields(fields, where(line));
      ++words;
    }
    user_check(words > 0, "{}: no word; expected {}", file_.path(), kVectorForms);
    user_check(!header || words == header->words, "{}:1: {} words are announced, and {} are there; the file is cut off",
               file_.path(), header ? header->words : 0, words);
  }

  void read_fields(const std::vector<std::string_view>& fields, const std::string& at) {
    const std::ptrdiff_t extra = std::ssize(fields) - 1 - width_;
    user_check(extra >= 0, "{}: '{}' has {} numbers; expected {}, as in the first line", at, excerpt(fields.front()),
               fields.size() - 1, width_);
    if (extra > 0) return check_spaces(fields, extra, at);
    if (collector_.ids_for(fields.front(), at).empty()) return;
    for (std::int32_t i = 0; i < width_; ++i) {
      const auto number = parse_number<double>(fields[i + 1]);
      user_check(number.has_value(), "{}: number {} of '{}' is '{}'; expected a number", at, i + 1,
                 excerpt(fields.front()), excerpt(fields[i + 1]));
      numbers_[i] = static_cast<float>(*number);
    }
    add(fields.front(), at);
  }

  /// A word with spaces is none of ours; a vector that is too wide is a mistake.
  void check_spaces(const std::vector<std::string_view>& fields, std::ptrdiff_t extra, const std::string& at) const {
    const bool wide = std::all_of(fields.begin() + 1, fields.begin() + 1 + extra,
                                  [](std::string_view field) { return parse_number<double>(field).has_value(); });
    user_check(!wide, "{}: '{}' has {} numbers; expected {}, as in the first line", at, excerpt(fields.front()),
               fields.size() - 1, width_);
  }

  void read_binary(std::int64_t words) {
    const std::size_t size = width_ * sizeof(float);
    for (std::int64_t i = 1; i <= words; ++i) {
      const std::string at = fmt::format("{}: word {} of {}", file_.path(), i, words);
      if (file_.peek(1) == "\n") file_.take(1);  // some writers end each word with one
      const auto text = file_.take_until(' ', kLongestWord);
      user_check(text.has_value(),
                 "{}: no word; expected a word, a space and {} floats: the file is cut off or damaged", at, width_);
      const std::string word(*text);
      const auto bytes = file_.take(size);
      user_check(bytes.has_value(), "{}: '{}' has less than {} floats of 4 bytes; the file is cut off", at,
                 excerpt(word), width_);
      if (collector_.ids_for(word, at).empty()) continue;
      std::memcpy(numbers_.data(), bytes->data(), size);
      add(word, at);
    }
    if (file_.peek(1) == "\n") file_.take(1);
    user_check(file_.peek(1).empty(), "{}: {} words are announced, and more bytes follow; the file is damaged",
               file_.path(), words);
  }

  void add(std::string_view word, const std::string& at) {
    const auto bad = std::ranges::find_if(numbers_, [](float number) { return !std::isfinite(number); });
    user_check(bad == numbers_.end(), "{}: number {} of '{}' is not finite", at, bad - numbers_.begin() + 1,
               excerpt(word));
    collector_.add(numbers_);
  }

  WordVectors checked(WordVectors vectors) const {
    user_check(
        !vectors.ids.empty(),
        "{}: it has none of the {} words of the vocabulary, of which the last is '{}'; expected vectors of words "
        "of the same language, written as they are in the data",
        file_.path(), words_.size(), excerpt(words_.words().back()));
    return vectors;
  }

  VectorFile file_;
  const Vocabulary& words_;
  VectorCollector collector_;
  std::int32_t width_ = 0;
  std::vector<float> numbers_;  // of one word
};

}  // namespace

WordVectors load_vectors(const std::string& path, const Vocabulary& words) { return Reader(path, words).read(); }

}  // namespace cavs

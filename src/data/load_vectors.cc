#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "cavs/data.h"
#include "cavs/vocabulary.h"
#include "data/columns.h"
#include "data/text.h"
#include "data/text_reader.h"
#include "support/check.h"
#include "support/packing.h"
#include "support/parse_number.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kWidest = 65'536;
constexpr std::size_t kLongestWord = 10'000, kLooksLikeText = 65'536, kLongestLine = std::size_t{1} << 23;
constexpr std::string_view kFastText = "\xBA\x16\x4F\x2F";
constexpr std::string_view kVectorForms = "word vectors in the form of GloVe or word2vec";

/// The first line of the two file formats of word2vec.
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

/// True if the bytes contain a control character that texts do not have, but binary floats often do.
bool is_binary(std::string_view bytes) {
  return std::ranges::any_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x09 || (byte > 0x0D && byte < 0x20);
  });
}

/// Reads a file that mixes text and binary data. Only a part of the file is in memory.
class VectorFile {
 public:
  explicit VectorFile(std::string path) : reader_(std::move(path)) {}

  const std::string& path() const { return reader_.path(); }
  /// Returns up to `count` next bytes without consuming them. All views are valid until the next call.
  std::string_view peek(std::size_t count) {
    if (bytes_.size() - at_ < count) {
      bytes_.erase(0, at_);
      at_ = 0;
      while (bytes_.size() < count && reader_.read_block(bytes_)) {
      }
    }
    return std::string_view(bytes_).substr(at_, count);
  }
  /// Consumes the next `count` bytes; nullopt if fewer are left.
  std::optional<std::string_view> take(std::size_t count) {
    const std::string_view bytes = peek(count);
    if (bytes.size() < count) return std::nullopt;
    at_ += count;
    return bytes;
  }
  /// Consumes the bytes up to the next `end`, which is not returned; nullopt if it is not among the next `most` bytes.
  std::optional<std::string_view> take_until(char end, std::size_t most) {
    std::size_t at = std::string_view::npos, searched = 0;
    for (std::size_t count = 256; at == std::string_view::npos; count = std::min(4 * count, most)) {
      const std::string_view bytes = peek(count);
      at = bytes.find(end, searched);
      searched = bytes.size();
      if (at == bytes.npos && (count == most || bytes.size() < count)) return std::nullopt;
    }
    const std::string_view taken = std::string_view(bytes_).substr(at_, at);
    at_ += at + 1;
    return taken;
  }
  /// Consumes a line, and returns it without its end; nullopt at the end of the file. @throws UserError if too long.
  std::optional<std::string_view> take_line() {
    if (const auto line = take_until('\n', kLongestLine)) return line;
    const std::string_view rest = peek(kLongestLine);
    user_check(rest.size() < kLongestLine, "{}: a line is longer than {} bytes; expected a word and its numbers",
               path(), kLongestLine);
    return rest.empty() ? std::nullopt : take(rest.size());
  }

 private:
  TextReader reader_;
  std::string bytes_;
  std::size_t at_ = 0;  // index in bytes_ of the first byte that is not consumed
};

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// Collects the vectors of the words of a vocabulary while a file is read.
class VectorCollector {
 public:
  explicit VectorCollector(const Vocabulary& words) : words_(words), found_(words.size()) {
    for (std::int32_t id = 0; id < words.size(); ++id)
      if (std::string lower = lower_case(words.word(id)); lower != words.word(id))
        lower_[std::move(lower)].push_back(id);
  }

  /// Returns the ids that get the vector of this word of the file: its own id, and the ids of words with capitals of
  /// which it is the lower case; none for a repeated word. Valid until the next call.
  /// @param where  position of the word in the file, for messages
  std::span<const std::int32_t> ids_for(std::string_view word, const std::string& where) {
    ids_.clear();
    const std::int32_t id = words_.id(word);
    has_exact_ = id != 0 || word == Vocabulary::kUnknown;
    if (has_exact_) {
      const auto [before, is_new] = exact_.emplace(id, where);
      if (!is_new) {
        warn_of_copy(word, where, before->second);
        return ids_;
      }
      ids_.push_back(id);
    }
    if (const auto lower = lower_.find(std::string(word)); lower != lower_.end())
      std::ranges::copy_if(lower->second, std::back_inserter(ids_), [&](auto of) { return found_[of] == Found::kNo; });
    return ids_;
  }
  /// Adds the vector of the word that was last given to ids_for().
  void add(std::span<const float> numbers) {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto [row, is_new] = row_.emplace(ids_[i], vectors_.ids.size());
      if (is_new) {
        vectors_.ids.push_back(ids_[i]);
        vectors_.values.insert(vectors_.values.end(), numbers.begin(), numbers.end());
      } else {
        std::ranges::copy(numbers, vectors_.values.begin() + static_cast<std::ptrdiff_t>(row->second * numbers.size()));
      }
      found_[ids_[i]] = has_exact_ && i == 0 ? Found::kExact : Found::kLowerCased;
    }
  }

  void warn(std::string warning) { vectors_.warnings.push_back(std::move(warning)); }

  WordVectors finish(std::int32_t width) && {
    vectors_.width = width;
    if (copies_ > 1) warn(fmt::format("{} more words are repeated; the first vector of each is kept", copies_ - 1));
    vectors_.lower_cased = std::ranges::count(found_, Found::kLowerCased);
    return std::move(vectors_);
  }

 private:
  enum class Found : char { kNo, kLowerCased, kExact };

  void warn_of_copy(std::string_view word, const std::string& where, const std::string& before) {
    if (copies_++ > 0) return;
    warn(fmt::format("{}: the word '{}' is repeated, first at {}; the first vector is kept", where, excerpt(word),
                     before));
  }

  const Vocabulary& words_;
  std::unordered_map<std::string, std::vector<std::int32_t>> lower_;  // lower case -> ids of words with capitals
  std::vector<Found> found_;                                          // [words]
  std::unordered_map<std::int32_t, std::string> exact_;               // id -> position of the word in the file
  std::unordered_map<std::int32_t, std::size_t> row_;                 // id -> row of vectors_.values
  std::vector<std::int32_t> ids_;
  bool has_exact_ = false;  // true if the last word of ids_for() is in the vocabulary as it is
  std::int64_t copies_ = 0;
  WordVectors vectors_;
};

class Reader {
 public:
  Reader(const std::string& path, const Vocabulary& words) : file_(path), words_(words), collector_(words) {}

  WordVectors read() && {
    user_check(file_.peek(kFastText.size()) != kFastText,
               "{}: this is a fastText model, with parts of words; expected {}; use the .vec file beside it, or write "
               "one with print-word-vectors of fastText",
               file_.path(), kVectorForms);
    const std::string_view packing = find_packing(file_.peek(kLooksLikeText));
    user_check(packing.empty() || !is_binary(file_.peek(kLooksLikeText)), "{}: expected {}, found {}", file_.path(),
               kVectorForms, packing);
    if (file_.peek(kByteOrderMark.size()) == kByteOrderMark) file_.take(kByteOrderMark.size());
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
    while (auto text = file_.take_line()) {
      ++line;
      const auto fields = split_words(take_line(*text, file_.path(), line));
      if (fields.empty()) continue;
      if (width_ == 0) set_width(std::ssize(fields) - 1, where(line));
      read_fields(fields, where(line));
      ++words;
    }
    user_check(words > 0, "{}: no word; expected {}", file_.path(), kVectorForms);
    const std::int64_t announced = header ? header->words : words;
    user_check(words >= announced, "{}:1: expected {} words, found {}; the file is cut off", file_.path(), announced,
               words);
    if (words > announced)
      collector_.warn(
          fmt::format("{}:1: expected {} words, found {}; all of them are read", file_.path(), announced, words));
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

  /// @throws UserError if the `extra` fields of a line are numbers of its vector, not parts of a word with spaces.
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
      if (file_.peek(1) == "\n") file_.take(1);  // some writers end each word with a newline
      const auto text = file_.take_until(' ', kLongestWord);
      user_check(text.has_value(),
                 "{}: no word; expected a word, a space and {} floats; the file is cut off or damaged", at, width_);
      const std::string word(*text);
      const auto bytes = file_.take(size);
      user_check(bytes.has_value(), "{}: '{}' has fewer than {} floats of 4 bytes; the file is cut off", at,
                 excerpt(word), width_);
      if (collector_.ids_for(word, at).empty()) continue;
      std::memcpy(numbers_.data(), bytes->data(), size);
      add(word, at);
    }
    if (file_.peek(1) == "\n") file_.take(1);
    user_check(file_.peek(1).empty(), "{}: expected {} words, but more bytes follow; the file is damaged", file_.path(),
               words);
  }

  void add(std::string_view word, const std::string& at) {
    const auto bad = std::ranges::find_if(numbers_, [](float number) { return !std::isfinite(number); });
    user_check(bad == numbers_.end(), "{}: number {} of '{}' is not finite", at, bad - numbers_.begin() + 1,
               excerpt(word));
    collector_.add(numbers_);
  }

  WordVectors checked(WordVectors vectors) const {
    user_check(!vectors.ids.empty(),
               "{}: none of the {} words of the vocabulary was found, such as '{}'; expected vectors of words of the "
               "same language, written as in the data",
               file_.path(), words_.size(), excerpt(words_.words().back()));
    return vectors;
  }

  VectorFile file_;
  const Vocabulary& words_;
  VectorCollector collector_;
  std::int32_t width_ = 0;
  std::vector<float> numbers_;  // vector of the current word
};

}  // namespace

WordVectors load_vectors(const std::string& path, const Vocabulary& words) { return Reader(path, words).read(); }

}  // namespace cavs::inline v0_1

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "cavs/readers.h"
#include "data/text_reader.h"
#include "support/check.h"
#include "support/descriptor.h"
#include "support/file.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

Descriptor open_file(const std::string& path) {
  check_path(path);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) open_error(path, errno, "a text file or a gzip of one");
  struct stat status {};
  user_check(::fstat(file.get(), &status) != 0 || !S_ISDIR(status.st_mode),
             "{}: expected a file, found a directory; give a file in it", path);
  return file;
}

}  // namespace

TextReader::TextReader(std::string path) : path_(std::move(path)), file_(path_, open_file(path_)), opened_(state()) {}

TextReader::State TextReader::state() const {
  struct stat status {};
  ::fstat(file_.descriptor(), &status);
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void TextReader::check_unchanged() const {
  struct stat status {};
  if (::fstat(file_.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const bool replaced = ::stat(path_.c_str(), &status) == 0 && !names_open_file(path_, file_.descriptor());
  user_check(state() == opened_ && !replaced,
             "{}: the file has changed while it was in use; expected the same text; train again, on a copy that does "
             "not change",
             path_);
}

bool TextReader::read_block(std::string& text) {
  const std::size_t size = text.size();
  text.resize(size + kBlock);
  std::size_t more = 0, got = 0;
  do {
    got = file_.read(text.data() + size + more, kBlock - more);
    more += got;
  } while (got > 0 && more < kBlock);
  text.resize(size + more);
  check_unchanged();
  return more > 0;
}

std::string TextReader::next_lines(std::int64_t max_bytes) {
  std::string lines = std::exchange(rest_, {});
  for (std::size_t searched = 0; read_block(lines); searched = lines.size()) {
    user_check(static_cast<std::int64_t>(lines.size()) <= max_bytes, "{}: a line is longer than {} bytes; split it",
               path_, max_bytes);
    const std::size_t end = std::string_view(lines).substr(searched).rfind('\n');
    if (end == lines.npos) continue;
    rest_ = lines.substr(searched + end + 1);
    lines.resize(searched + end + 1);
    break;
  }
  return lines;
}

double TextReader::share() const {
  if (opened_.size <= 0) return 0;
  return std::min(1.0, static_cast<double>(file_.offset()) / static_cast<double>(opened_.size));
}

void TextReader::rewind() {
  check_unchanged();
  user_check(file_.rewind(), "{}: cannot go back to the beginning; expected a file, not a pipe", path_);
  rest_.clear();
}

std::string read_text_file(const std::string& path, std::int64_t max_bytes) {
  TextReader reader(path);
  std::string text;
  for (bool more = true; more;) {
    more = reader.read_block(text);
    user_check(static_cast<std::int64_t>(text.size()) <= max_bytes,
               "{}: the text is longer than {} bytes; split the file", path, max_bytes);
  }
  return text;
}

}  // namespace cavs::inline v0_1

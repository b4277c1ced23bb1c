#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "cavs/data.h"
#include "support/check.h"

namespace cavs {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};
using Gzip = std::unique_ptr<gzFile_s, CloseGzip>;

/// zlib reads a file that is no gzip as it is.
Gzip open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  user_check(descriptor >= 0, "{}: cannot open the file: {}; expected a text file or a gzip of one", path,
             std::strerror(errno));
  struct stat status {};
  const bool directory = ::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  Gzip file(directory ? nullptr : gzdopen(descriptor, "rb"));
  if (file == nullptr) ::close(descriptor);
  user_check(!directory, "{}: expected a file, found a directory", path);
  user_check(file != nullptr, "{}: cannot read the file: out of memory", path);
  gzbuffer(file.get(), 1 << 17);
  return file;
}

}  // namespace

std::string read_text_file(const std::string& path, std::int64_t most) {
  const Gzip file = open_file(path);
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kBlock);
    const int got = gzread(file.get(), text.data() + size, kBlock);
    text.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
    user_check(static_cast<std::int64_t>(text.size()) <= most, "{}: the text is longer than {} bytes; split the file",
               path, most);
    int error = Z_OK;
    const char* reason = gzerror(file.get(), &error);
    user_check(error != Z_BUF_ERROR, "{}: the gzip data ends early, after {} bytes of text; the file is cut off", path,
               text.size());
    user_check(error != Z_ERRNO, "{}: cannot read the file: {}", path, std::strerror(errno));
    user_check(error >= 0, "{}: the gzip data is damaged after {} bytes of text ({})", path, text.size(), reason);
    if (got <= 0) return text;
  }
}

}  // namespace cavs

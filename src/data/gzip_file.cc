#include "data/gzip_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 17;
constexpr unsigned char kMagic[] = {0x1F, 0x8B};

}  // namespace

GzipFile::GzipFile(std::string path, Descriptor file)
    : path_(std::move(path)), file_(std::move(file)), buffer_(kBuffer), in_(new z_stream{}) {
  constexpr int kLargestWindow = 15, kGzip = 16;
  in_->next_in = buffer_.data();
  user_check(inflateInit2(in_.get(), kLargestWindow + kGzip) == Z_OK, "{}: cannot read the file: out of memory", path_);
}

/// Reads the next block of the file into the input. Returns false at the end of the file.
bool GzipFile::fill() {
  std::memmove(buffer_.data(), in_->next_in, in_->avail_in);
  in_->next_in = buffer_.data();
  ssize_t got = 0;
  do {
    got = ::read(file_.get(), buffer_.data() + in_->avail_in, buffer_.size() - in_->avail_in);
  } while (got < 0 && errno == EINTR);
  user_check(got >= 0, "{}: cannot read the file: {}", path_, std::strerror(errno));
  in_->avail_in += static_cast<unsigned>(got);
  offset_ += got;
  return got > 0;
}

/// True if the input begins like a member of a gzip file.
bool GzipFile::begins_member() {
  while (in_->avail_in < std::size(kMagic) && fill()) {
  }
  return in_->avail_in >= std::size(kMagic) && std::equal(std::begin(kMagic), std::end(kMagic), in_->next_in);
}

std::size_t GzipFile::read(char* to, std::size_t size) {
  if (kind_ == Kind::kUnknown) {
    is_in_member_ = begins_member();
    kind_ = is_in_member_ ? Kind::kGzip : Kind::kPlain;
  }
  if (kind_ == Kind::kGzip) return inflate_some(to, size);
  if (in_->avail_in == 0 && !fill()) return 0;
  const std::size_t count = std::min<std::size_t>(size, in_->avail_in);
  std::memcpy(to, in_->next_in, count);
  in_->next_in += count;
  in_->avail_in -= static_cast<unsigned>(count);
  return count;
}

std::size_t GzipFile::inflate_some(char* to, std::size_t size) {
  for (;;) {
    if (!is_in_member_) {
      // Zeros may follow the last member, as on tapes, whose last block is filled with zeros.
      while ((in_->avail_in > 0 || fill()) && *in_->next_in == 0) {
        ++in_->next_in;
        --in_->avail_in;
      }
      if (in_->avail_in == 0) return 0;
      user_check(begins_member(), "{}: the gzip data is damaged after {} bytes of text (not gzip data from there on)",
                 path_, given_);
      inflateReset(in_.get());
      is_in_member_ = true;
    }
    user_check(in_->avail_in > 0 || fill(), "{}: the gzip data ends early, after {} bytes of text; the file is cut off",
               path_, given_);
    in_->next_out = reinterpret_cast<unsigned char*>(to);
    in_->avail_out = static_cast<unsigned>(size);
    const int result = inflate(in_.get(), Z_NO_FLUSH);
    user_check(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR,
               "{}: the gzip data is damaged after {} bytes of text ({})", path_, given_,
               in_->msg == nullptr ? "unknown format" : in_->msg);
    is_in_member_ = result != Z_STREAM_END;
    if (const std::size_t count = size - in_->avail_out; count > 0) {
      given_ += std::int64_t(count);
      return count;
    }
  }
}

bool GzipFile::rewind() {
  if (::lseek(file_.get(), 0, SEEK_SET) != 0) return false;
  inflateReset(in_.get());
  in_->next_in = buffer_.data();
  in_->avail_in = 0;
  kind_ = Kind::kUnknown;
  is_in_member_ = false;
  offset_ = given_ = 0;
  return true;
}

}  // namespace cavs::inline v0_1

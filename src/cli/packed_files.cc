#include "cli/packed_files.h"

#include <archive.h>

#include <utility>

#include "support/check.h"

namespace cavs::cli {
namespace {

class Archive final : public Unpacked {
 public:
  Archive(const std::string& path, std::function<std::string_view()> next)
      : path_(path), next_(std::move(next)), archive_(archive_read_new(), archive_read_free) {
    archive_read_support_filter_xz(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_filter_bzip2(archive_.get());
    archive_read_support_filter_lz4(archive_.get());
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    check(archive_read_open(archive_.get(), this, nullptr, read_more, nullptr));
    archive_entry* entry = nullptr;
    is_empty_ = check(archive_read_next_header(archive_.get(), &entry)) == ARCHIVE_EOF;
  }

  std::size_t read(char* to, std::size_t size) override {
    return is_empty_ ? 0 : static_cast<std::size_t>(check(archive_read_data(archive_.get(), to, size)));
  }

 private:
  static la_ssize_t read_more(archive*, void* self, const void** bytes) {
    auto& file = *static_cast<Archive*>(self);
    try {
      const std::string_view more = file.next_();
      *bytes = more.data();
      return std::ssize(more);
    } catch (...) {  // must not pass through a library of C
      file.error_ = std::current_exception();
      return ARCHIVE_FATAL;
    }
  }

  la_ssize_t check(la_ssize_t result) const {
    if (error_ != nullptr) std::rethrow_exception(error_);
    if (result >= 0) return result;
    const char* why = archive_error_string(archive_.get());
    user_error("{}: the packed data is cut off or damaged ({})", path_, why == nullptr ? "unknown reason" : why);
  }

  std::string path_;
  std::function<std::string_view()> next_;
  std::exception_ptr error_;  // of next_
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  bool is_empty_ = false;
};

}  // namespace

std::unique_ptr<Unpacked> unpack(const std::string& path, std::function<std::string_view()> next) {
  return std::make_unique<Archive>(path, std::move(next));
}

}  // namespace cavs::cli

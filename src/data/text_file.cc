#include <istream>
#include <streambuf>
#include <string>
#include <utility>

#include "cavs/readers.h"
#include "data/text_reader.h"

namespace cavs::inline v0_1 {

struct TextFile::Impl final : std::streambuf {
  explicit Impl(const std::string& path) : reader(path), stream(this) {
    stream.exceptions(std::ios::badbit);  // otherwise a read error would look like the end of the file
  }
  int_type underflow() override {
    block.clear();
    if (!reader.read_block(block)) return traits_type::eof();
    setg(block.data(), block.data(), block.data() + block.size());
    return traits_type::to_int_type(*gptr());
  }

  TextReader reader;
  std::string block;
  std::istream stream;
};

TextFile::TextFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile::~TextFile() = default;

std::istream& TextFile::stream() { return impl_->stream; }
double TextFile::share() const { return impl_->reader.share(); }

}  // namespace cavs::inline v0_1

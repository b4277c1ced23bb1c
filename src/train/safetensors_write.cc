#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

#include "support/check.h"
#include "support/file.h"
#include "support/hash.h"
#include "train/safetensors.h"

namespace cavs::inline v0_1 {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr std::size_t kDataAlignment = 64;

void check_tensor(const FileTensor& tensor) {
  std::uint64_t bytes = dtype_size(tensor.dtype);
  CAVS_ASSERT(bytes > 0 && tensor.name != "__metadata__");
  for (const std::int64_t dim : tensor.shape) bytes *= static_cast<std::uint64_t>(dim);
  CAVS_ASSERT(bytes == tensor.data.size());
}

nlohmann::json header_of(const std::vector<FileTensor>& tensors, const std::map<std::string, std::string>& metadata) {
  nlohmann::json header{{"__metadata__", metadata}};
  std::size_t offset = 0;
  for (const FileTensor& tensor : tensors) {
    check_tensor(tensor);
    const bool is_new = !header.contains(tensor.name);
    CAVS_ASSERT(is_new);
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + tensor.data.size()}}};
    offset += tensor.data.size();
  }
  return header;
}

std::string header_text(const std::string& path, const nlohmann::json& header) {
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    user_error("{}: cannot save: a name or a text (such as Checkpoint::data) is not valid UTF-8; all must be", path);
  }
  text.resize((kLengthBytes + text.size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment - kLengthBytes, ' ');
  user_check(text.size() <= kMaxHeaderBytes, "{}: cannot save: names and texts need {} bytes; the maximum is {}", path,
             text.size(), kMaxHeaderBytes);
  std::string prefix(kLengthBytes, '\0');
  const std::uint64_t length = text.size();
  std::memcpy(prefix.data(), &length, kLengthBytes);
  return prefix + text;
}

}  // namespace

void write_safetensors(const std::string& path, std::vector<FileTensor> tensors,
                       std::map<std::string, std::string> metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const FileTensor& a, const FileTensor& b) {
    return std::tuple(dtype_size(b.dtype), std::string_view(a.name)) <
           std::tuple(dtype_size(a.dtype), std::string_view(b.name));
  });
  metadata[std::string(kContentHashKey)] = kHashBlank;
  std::string header = header_text(path, header_of(tensors, metadata));

  std::vector<std::span<const std::byte>> parts{std::as_bytes(std::span(header))};
  for (const FileTensor& tensor : tensors) parts.push_back(tensor.data);
  ContentHash hash;
  for (const auto& part : parts) hash.update(part);
  header.replace(header.find(kHashMark) + kHashMark.size(), kHashBlank.size(), fmt::format("{:016x}", hash.digest()));
  write_file_atomically(path, parts);
}

}  // namespace cavs::inline v0_1

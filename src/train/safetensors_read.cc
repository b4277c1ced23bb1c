#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/check.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/json_check.h"
#include "train/safetensors.h"

namespace cavs::inline v0_1 {
namespace {

using Json = nlohmann::json;

constexpr int kHeaderDepth = 3;  // nesting of the header's JSON: header, tensor, list
constexpr std::string_view kCheckpointFile = "a checkpoint of cavs (safetensors)",
                           kUseAnother = "use another copy, or train again";
constexpr std::int64_t kMaxDim = std::numeric_limits<std::int64_t>::max();

struct ByteRange {
  std::uint64_t begin, end;
};

std::string tensor_where(const std::string& where, const std::string& name) {
  return fmt::format("{}: tensor '{}'", where, name);
}

/// The JSON header. @throws UserError for a file that does not begin with the length of a safetensors header.
std::string_view header_of(const Safetensors& file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  std::uint64_t length = 0;
  if (bytes.size() > kLengthBytes) std::memcpy(&length, bytes.data(), kLengthBytes);
  user_check(length > 0 && length <= kMaxHeaderBytes && bytes[kLengthBytes] == '{', "{}: expected {}; found {}",
             file.where, kCheckpointFile, describe_file(bytes));
  const std::string_view rest = bytes.substr(kLengthBytes);
  user_check(length <= rest.size(), "{}: the header should have {} bytes, but only {} follow: the file is cut off; {}",
             file.where, length, rest.size(), kUseAnother);
  return rest.substr(0, length);
}

Json parse_header(std::string_view text, const std::string& where) {
  try {
    return parse_json(text, kHeaderDepth, where + ": header");
  } catch (const UserError& error) {
    user_error("{}; the file is damaged: {}", error.what(), kUseAnother);
  }
}

/// Returns the list of integers in [0, 2^63) that `entry` has under `key`.
std::vector<std::int64_t> integers(const Json& entry, const char* key, const std::string& where) {
  const auto found = entry.find(key);
  user_check(found != entry.end() && found->is_array(), "{}: expected a list \"{}\"", where, key);
  std::vector<std::int64_t> result;
  for (const Json& item : *found) {
    user_check(item.is_number_unsigned() && item.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMaxDim),
               "{}: \"{}\" holds {}; expected integers from 0", where, key, item.dump(-1, ' ', true));
    result.push_back(item.get<std::int64_t>());
  }
  return result;
}

std::uint64_t bytes_of(const FileTensor& tensor, const std::string& where) {
  std::uint64_t bytes = dtype_size(tensor.dtype);
  user_check(bytes > 0, "{}: unknown type \"{}\"", where, tensor.dtype);
  bool fits = true;
  for (const std::int64_t dim : tensor.shape) fits = !__builtin_mul_overflow(bytes, dim, &bytes) && fits;
  user_check(fits, "{}: its shape has too many elements", where);
  return bytes;
}

ByteRange read_entry(const Json& entry, FileTensor& tensor, const std::string& where) {
  user_check(entry.is_object() && entry.size() == 3, "{}: expected dtype, shape and data_offsets", where);
  const auto dtype = entry.find("dtype");
  user_check(dtype != entry.end() && dtype->is_string(), "{}: expected a text \"dtype\"", where);
  tensor.dtype = dtype->get<std::string>();
  tensor.shape = integers(entry, "shape", where);
  const std::vector<std::int64_t> offsets = integers(entry, "data_offsets", where);
  user_check(offsets.size() == 2 && offsets[0] <= offsets[1], "{}: expected data_offsets [begin, end]", where);
  const ByteRange range{static_cast<std::uint64_t>(offsets[0]), static_cast<std::uint64_t>(offsets[1])};
  const std::uint64_t expected = bytes_of(tensor, where);
  user_check(range.end - range.begin == expected, "{}: its data has {} bytes; its type and shape need {}", where,
             range.end - range.begin, expected);
  return range;
}

std::map<std::string, std::string> read_metadata(const Json& entry, const std::string& where) {
  user_check(entry.is_object(), "{}: expected an object \"__metadata__\"", where);
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : entry.items()) {
    user_check(value.is_string(), "{}: metadata '{}' is not a text", where, key);
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// Checks that the tensors cover the data exactly, without overlaps, holes (which could hide anything) or a rest.
void check_cover(std::vector<std::pair<ByteRange, const std::string*>> ranges, std::uint64_t size,
                 const std::string& where) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.begin, a.first.end) < std::pair(b.first.begin, b.first.end);
  });
  std::uint64_t end = 0;
  for (const auto& [range, name] : ranges) {
    user_check(range.end <= size, "{}: data ends at byte {}, but the file has only {}: it is cut off; {}",
               tensor_where(where, *name), range.end, size, kUseAnother);
    user_check(range.begin == end, "{}: data begins at byte {}; expected {} (no overlaps, no holes)",
               tensor_where(where, *name), range.begin, end);
    end = range.end;
  }
  user_check(end == size, "{}: the tensors need {} bytes of data, but the file has {}", where, end, size);
}

void check_hash(const Safetensors& file, std::string_view header) {
  const auto stored = file.metadata.find(std::string(kContentHashKey));
  if (stored == file.metadata.end()) return;
  const std::size_t mark = header.find(kHashMark);
  const std::size_t digits = mark == header.npos ? header.npos : mark + kHashMark.size();
  ContentHash hash;
  if (stored->second.size() == kHashBlank.size() &&
      header.substr(std::min(digits, header.size()), kHashBlank.size()) == stored->second) {
    const std::span<const std::byte> bytes(file.bytes);
    hash.update(bytes.first(kLengthBytes + digits));
    hash.update(std::as_bytes(std::span(kHashBlank)));
    hash.update(bytes.subspan(kLengthBytes + digits + kHashBlank.size()));
  }
  const std::string found = fmt::format("{:016x}", hash.digest());
  user_check(found == stored->second,
             "{}: damaged or altered: its content hashes to {}, but {} was stored when it was written; {}", file.where,
             found, stored->second, kUseAnother);
}

}  // namespace

std::size_t dtype_size(std::string_view dtype) {
  static constexpr std::pair<std::string_view, std::size_t> kSizes[] = {
      {"F64", 8},  {"I64", 8}, {"U64", 8}, {"F32", 4}, {"I32", 4}, {"U32", 4}, {"F16", 2},
      {"BF16", 2}, {"I16", 2}, {"U16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};
  for (const auto& [name, size] : kSizes)
    if (name == dtype) return size;
  return 0;
}

Safetensors parse_safetensors(std::vector<std::byte> bytes, const std::string& where) {
  Safetensors file;
  file.where = where;
  file.bytes = std::move(bytes);
  const std::string_view text = header_of(file);
  const Json header = parse_header(text, where);
  user_check(header.is_object(), "{}: header: expected a JSON object", where);
  std::vector<ByteRange> ranges;
  for (const auto& [name, entry] : header.items()) {  // sorted by name
    if (name == "__metadata__") {
      file.metadata = read_metadata(entry, where);
    } else {
      file.tensors.push_back({name, {}, {}, {}});
      ranges.push_back(read_entry(entry, file.tensors.back(), tensor_where(where, name)));
    }
  }
  const std::span<const std::byte> data = std::span<const std::byte>(file.bytes).subspan(kLengthBytes + text.size());
  std::vector<std::pair<ByteRange, const std::string*>> named;
  for (std::size_t t = 0; t < ranges.size(); ++t) named.emplace_back(ranges[t], &file.tensors[t].name);
  check_cover(std::move(named), data.size(), where);
  check_hash(file, text);
  for (std::size_t t = 0; t < ranges.size(); ++t)
    file.tensors[t].data = data.subspan(ranges[t].begin, ranges[t].end - ranges[t].begin);
  return file;
}

Safetensors read_safetensors(const std::string& path) {
  return parse_safetensors(read_file(path, std::numeric_limits<std::int64_t>::max(), kCheckpointFile), path);
}

}  // namespace cavs::inline v0_1

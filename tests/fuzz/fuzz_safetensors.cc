#include "fuzz/fuzz_check.h"
#include "train/safetensors.h"

CAVS_FUZZ_TARGET(safetensors) {
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  const Safetensors file = parse_safetensors({first, first + bytes.size()}, "fuzz");
  std::size_t covered = 0;
  const std::string* before = nullptr;
  for (const FileTensor& tensor : file.tensors) {
    expect(before == nullptr || *before < tensor.name, "tensors are sorted by name");
    before = &tensor.name;
    std::size_t expected = dtype_size(tensor.dtype);
    for (const std::int64_t dim : tensor.shape) expected *= static_cast<std::size_t>(dim);
    expect(tensor.data.size() == expected, "a tensor has the bytes of its shape");
    covered += expected;
    expect(
        tensor.data.empty() || (tensor.data.data() >= file.bytes.data() && &tensor.data.back() <= &file.bytes.back()),
        "a tensor lies in the file");
  }
  expect(covered <= bytes.size(), "tensors do not overlap");
}

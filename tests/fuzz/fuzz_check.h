#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cavs/error.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/text.h"
#include "fuzz/mutate.h"
#include "support/file.h"

/// Each fuzz_NAME.cc has one target, which processes the bytes of one file. libFuzzer makes a program of each. With
/// CAVS_FUZZ_REPLAY, all targets are linked into one test, which finds them in fuzz_targets().
#ifdef CAVS_FUZZ_REPLAY
#define CAVS_FUZZ_ENTRY(name) \
  static const bool name##_is_known = ::cavs::fuzz_targets().emplace(#name, ::cavs::fuzz_##name).second;
#else
#define CAVS_FUZZ_ENTRY(name)                                                              \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {      \
    ::cavs::check_input(::cavs::fuzz_##name, {reinterpret_cast<const char*>(data), size}); \
    return 0;                                                                              \
  }
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 4 != 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = cavs::with_another_number({reinterpret_cast<const char*>(data), size}, random);
  return text.copy(reinterpret_cast<char*>(data), max_size);
}
#endif
#define CAVS_FUZZ_TARGET(name)                     \
  namespace cavs {                                 \
  static void fuzz_##name(std::string_view bytes); \
  }                                                \
  CAVS_FUZZ_ENTRY(name)                            \
  void cavs::fuzz_##name(std::string_view bytes)

namespace cavs {

using FuzzTarget = void (*)(std::string_view);

inline std::map<std::string, FuzzTarget>& fuzz_targets() {
  static std::map<std::string, FuzzTarget> targets;
  return targets;
}

/// Stops the fuzzer and fails the test if `holds` is false.
inline void expect(bool holds, const char* expected) {
  if (!holds) throw std::logic_error(expected);
}

/// Checks that a reader returns, or throws a UserError in valid UTF-8. Other exceptions stop the fuzzer.
template <typename Read>
void check_input(Read&& read, std::string_view bytes) {
  try {
    read(bytes);
  } catch (const UserError& error) {
    const std::string message = error.what();
    if (message.empty() || find_invalid_utf8(message) != message.npos)
      throw std::logic_error("expected an error message in UTF-8, found '" + printable(message) + "'");
  }
}

/// Checks that accepted trees are valid graphs.
inline void expect_graphs(std::span<const Tree> trees) {
  GraphSet graphs(tree_schema());
  for (const Tree& tree : trees) graphs.add(to_graph(tree, Vocabulary::from_trees(trees.first(1))));
  expect(graphs.size() == static_cast<std::int32_t>(trees.size()), "each tree is a graph");
}

/// Path of a file in memory with these bytes. The next call overwrites the file.
inline std::string memory_file(std::string_view bytes) {
  static const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  expect(file >= 0 && ::ftruncate(file, 0) == 0 &&
             ::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
         "there is a file in memory");
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace cavs

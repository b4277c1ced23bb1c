#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "fuzz/fuzz_check.h"
#include "support/file.h"

/// Runs every fuzz target on its corpus and on mutations of it, which are the same in every run.
namespace cavs {
namespace {

constexpr std::size_t kMutations = 300;  // per target

std::vector<std::string> corpus_of(const std::string& target) {
  std::vector<std::string> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CAVS_FUZZ_CORPUS) + "/" + target)) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::ranges::sort(inputs);  // directories have no defined order
  return inputs;
}

/// Changes a few places: changes a byte, deletes a part, repeats a part, or inserts a part of another input.
std::string mutated(const std::vector<std::string>& corpus, std::mt19937& random) {
  const auto below = [&random](std::size_t end) { return end == 0 ? 0 : random() % end; };
  std::string text = corpus[below(corpus.size())];
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(text.size()), length = 1 + below(16);
    const std::string& other = corpus[below(corpus.size())];
    const std::size_t from = below(other.size());
    switch (below(6)) {
      case 0:
        text.insert(at, 1, static_cast<char>(random()));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.replace(at, std::min(length, text.size() - at), other.substr(from, length));
        break;
      case 4:
        text = with_another_number(std::move(text), random);
        break;
      default:
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }
  return text;
}

class Replay : public testing::TestWithParam<std::string> {};

TEST_P(Replay, CorpusAndMutationsGiveResultsOrUserErrors) {
  const FuzzTarget target = fuzz_targets().at(GetParam());
  const std::vector<std::string> corpus = corpus_of(GetParam());
  ASSERT_FALSE(corpus.empty()) << "no input in tests/fuzz/corpus/" << GetParam();
  const auto run = [target](const std::string& input) {
    try {
      check_input(target, input);
    } catch (const std::exception& error) {
      FAIL() << error.what() << "\n  input: " << printable(input);
    }
  };
  std::mt19937 random(1);
  for (std::size_t i = 0; i < corpus.size() + kMutations && !HasFailure(); ++i)
    run(i < corpus.size() ? corpus[i] : mutated(corpus, random));
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const auto& [name, target] : fuzz_targets()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Of, Replay, testing::ValuesIn(target_names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cavs

#pragma once

#include <regex>
#include <string>
#include <vector>

namespace cavs::cuda {

/// A kernel's text without one of the calls that make threads or processors wait.
struct TextMutant {
  std::string what;  // the line, and the one before it
  std::string source;
};

/// Each of them in turn: sync, sync_warp, wait, meet, wherever they stand in the text.
inline std::vector<TextMutant> without_each_barrier(const std::string& source) {
  static const std::regex kCall(R"(\b(sync\(\)|sync_warp\(\)|wait\(a, entry\)|meet\(a, meetings\));)");
  std::vector<TextMutant> mutants;
  for (std::sregex_iterator at(source.begin(), source.end(), kCall), end; at != end; ++at) {
    const auto position = static_cast<std::size_t>(at->position());
    const std::size_t before = source.rfind('\n', source.rfind('\n', position) - 1) + 1;
    TextMutant mutant{source.substr(before, source.find('\n', position) - before), source};
    const bool is_meeting = at->str().starts_with("meet");
    mutant.source.replace(position, static_cast<std::size_t>(at->length()),
                          is_meeting ? "static_cast<void>(meetings);" : "{}");
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

}  // namespace cavs::cuda

#include "data/vector_collector.h"

#include <algorithm>

#include "data/text.h"
#include "support/check.h"

namespace cavs {
namespace {

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

VectorCollector::VectorCollector(const Vocabulary& words) : words_(words), found_(words.size()) {
  for (std::int32_t id = 0; id < words.size(); ++id)
    if (std::string lower = lower_case(words.word(id)); lower != words.word(id)) lower_[std::move(lower)].push_back(id);
}

std::span<const std::int32_t> VectorCollector::ids_for(std::string_view word, const std::string& where) {
  ids_.clear();
  const std::int32_t id = words_.id(word);
  has_exact_ = id != 0 || word == Vocabulary::kUnknown;
  if (has_exact_) {
    const auto [before, is_new] = exact_.emplace(id, where);
    user_check(is_new, "{}: the word '{}' is there already, at {}; expected each word once", where, excerpt(word),
               before->second);
    ids_.push_back(id);
  }
  if (const auto lower = lower_.find(std::string(word)); lower != lower_.end())
    std::ranges::copy_if(lower->second, std::back_inserter(ids_), [&](auto of) { return found_[of] == Found::kNo; });
  return ids_;
}

void VectorCollector::add(std::span<const float> numbers) {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    const auto [row, is_new] = row_.emplace(ids_[i], vectors_.ids.size());
    if (is_new) {
      vectors_.ids.push_back(ids_[i]);
      vectors_.values.insert(vectors_.values.end(), numbers.begin(), numbers.end());
    } else {
      std::ranges::copy(numbers, vectors_.values.begin() + static_cast<std::ptrdiff_t>(row->second * numbers.size()));
    }
    found_[ids_[i]] = has_exact_ && i == 0 ? Found::kExact : Found::kLowerCased;
  }
}

WordVectors VectorCollector::finish(std::int32_t width) && {
  vectors_.width = width;
  vectors_.lower_cased = std::ranges::count(found_, Found::kLowerCased);
  return std::move(vectors_);
}

}  // namespace cavs

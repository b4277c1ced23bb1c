#include "train/tag_scores.h"

#include <map>
#include <string_view>

#include "support/check.h"

namespace cavs::inline v0_1 {

TagScores::TagScores(std::span<const std::string> tags) {
  std::map<std::string_view, std::int32_t> classes;
  for (const std::string& name : tags) {
    const auto [part, entity_class] = parse_tag(name);
    const auto number = classes.emplace(entity_class, static_cast<std::int32_t>(classes.size())).first->second;
    tags_.push_back({part, number});
  }
}

std::vector<Entity<std::int32_t>> TagScores::find_entities(std::span<const std::int32_t> classes) const {
  std::vector<Tag<std::int32_t>> tags;
  tags.reserve(classes.size());
  for (const std::int32_t c : classes) tags.push_back(tags_[c]);
  return entities_of<std::int32_t>(tags);
}

void TagScores::add(std::span<const std::int32_t> expected, std::span<const std::int32_t> found) {
  CAVS_ASSERT(expected.size() == found.size());
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const bool entity = tags_[expected[t]].part != 'O';
    tokens_.expected += entity;
    tokens_.found += tags_[found[t]].part != 'O';
    tokens_.right += entity && expected[t] == found[t];
  }
  const auto all = find_entities(expected), ours = find_entities(found);
  entities_.expected += std::ssize(all);
  entities_.found += std::ssize(ours);
  for (auto a = all.begin(), b = ours.begin(); a != all.end() && b != ours.end();) {
    entities_.right += *a == *b;
    const bool both = a->begin == b->begin, first = a->begin < b->begin;
    if (both || first) ++a;
    if (both || !first) ++b;
  }
}

TagScores::Counted TagScores::counts() const {
  return {tokens_.expected, tokens_.found, tokens_.right, entities_.expected, entities_.found, entities_.right};
}

void TagScores::add(const Counted& counts) {
  tokens_.expected += counts[0];
  tokens_.found += counts[1];
  tokens_.right += counts[2];
  entities_.expected += counts[3];
  entities_.found += counts[4];
  entities_.right += counts[5];
}

}  // namespace cavs::inline v0_1

#include "train/tag_scores.h"

#include <map>
#include <string_view>

#include "cavs/data.h"
#include "support/check.h"

namespace cavs {

TagScores::TagScores(std::span<const std::string> tags) {
  std::map<std::string_view, std::int32_t> classes;
  for (const std::string& name : tags) {
    const bool prefixed = name.starts_with("B-") || name.starts_with("I-");
    const std::string_view entity_class = std::string_view(name).substr(prefixed ? 2 : 0);
    const auto number = classes.emplace(entity_class, static_cast<std::int32_t>(classes.size())).first->second;
    tags_.push_back({.outside = name == kOutside, .begins = name.starts_with("B-"), .entity_class = number});
  }
}

std::vector<TagScores::Entity> TagScores::entities_of(std::span<const std::int32_t> classes) const {
  std::vector<Entity> entities;
  bool open = false;
  for (std::int64_t t = 0; t < std::ssize(classes); ++t) {
    const Tag& tag = tags_[classes[t]];
    const bool continues = open && !tag.outside && !tag.begins && entities.back().entity_class == tag.entity_class;
    if (!continues && !tag.outside) entities.push_back({t, t, tag.entity_class});
    open = !tag.outside;
    if (open) entities.back().end = t + 1;
  }
  return entities;
}

void TagScores::add(std::span<const std::int32_t> expected, std::span<const std::int32_t> found) {
  CAVS_ASSERT(expected.size() == found.size());
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const bool entity = !tags_[expected[t]].outside;
    tokens_.expected += entity, tokens_.found += !tags_[found[t]].outside;
    tokens_.right += entity && expected[t] == found[t];
  }
  const std::vector<Entity> all = entities_of(expected), ours = entities_of(found);
  entities_.expected += std::ssize(all), entities_.found += std::ssize(ours);
  for (auto a = all.begin(), b = ours.begin(); a != all.end() && b != ours.end();) {
    entities_.right += *a == *b;
    const bool both = a->begin == b->begin, first = a->begin < b->begin;
    if (both || first) ++a;
    if (both || !first) ++b;
  }
}

}  // namespace cavs

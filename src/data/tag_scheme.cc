#include "data/tag_scheme.h"

#include <algorithm>
#include <vector>

#include "data/entities.h"

namespace cavs {
namespace {

/// Of token `t` of an entity; `adjacent`: the token before it ends one of its class.
char part_of(TagScheme scheme, const Entity<std::string_view>& entity, std::int64_t t, bool adjacent) {
  const bool first = t == entity.begin, last = t + 1 == entity.end;
  switch (scheme) {
    case TagScheme::kIob1:
      return first && adjacent ? 'B' : 'I';
    case TagScheme::kIob2:
      return first ? 'B' : 'I';
    case TagScheme::kIobes:
      break;
  }
  if (first && last) return 'S';
  if (first) return 'B';
  return last ? 'E' : 'I';
}

}  // namespace

std::string_view TagRewriter::name(char part, std::string_view entity_class) {
  return *names_.insert(std::string{part, '-'} += entity_class).first;
}

void TagRewriter::rewrite(TaggedSentence& sentence) {
  std::vector<Tag<std::string_view>> tags;
  tags.reserve(sentence.tags.size());
  for (const std::string_view tag : sentence.tags) tags.push_back(parse_tag(tag));
  const auto entities = entities_of<std::string_view>(tags);
  std::ranges::fill(sentence.tags, kOutside);
  for (std::size_t e = 0; e < entities.size(); ++e) {
    const auto& entity = entities[e];
    const bool adjacent =
        e > 0 && entities[e - 1].end == entity.begin && entities[e - 1].entity_class == entity.entity_class;
    for (std::int64_t t = entity.begin; t < entity.end; ++t)
      sentence.tags[t] = name(part_of(scheme_, entity, t, adjacent), entity.entity_class);
  }
}

}  // namespace cavs

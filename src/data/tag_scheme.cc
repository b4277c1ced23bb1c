#include "data/tag_scheme.h"

#include <algorithm>
#include <vector>

#include "data/entities.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the prefix of token `t` of an entity. `adjacent` is true if an entity of the same class ends
/// right before it.
char part_of(TagScheme scheme, const Entity<std::string_view>& entity, std::int64_t t, bool adjacent) {
  const bool first = t == entity.begin, last = t + 1 == entity.end;
  if (scheme == TagScheme::kIob1) return first && adjacent ? 'B' : 'I';
  if (scheme == TagScheme::kIob2) return first ? 'B' : 'I';
  const std::string_view parts = scheme == TagScheme::kBmes ? "BMES" : scheme == TagScheme::kBilou ? "BILU" : "BIES";
  if (first && last) return parts[3];
  return parts[first ? 0 : last ? 2 : 1];
}

}  // namespace

std::optional<TagScheme> find_tag_scheme(std::string_view name) {
  const auto* const found = std::ranges::find(kTagSchemeNames, name);
  if (found == kTagSchemeNames.end()) return std::nullopt;
  return static_cast<TagScheme>(found - kTagSchemeNames.begin());
}

std::optional<TagScheme> scheme_for(const DataSpec& spec, std::string_view trained) {
  user_check(spec.text("tags") != "bio", "data '{}': tags is 'bio'; BIO is called iob2 here", spec.kind());
  const std::string asked = spec.choice("tags", "", kTagSchemeNames);
  user_check(asked.empty() || trained.empty() || asked == trained,
             "data '{}': tags={}, but the model was trained on tags={}; leave 'tags' out, and tags are converted to "
             "the scheme of the model",
             spec.kind(), asked, trained);
  return find_tag_scheme(asked.empty() ? trained : asked);
}

std::optional<TagScheme> detect_scheme(std::span<const std::vector<TaggedSentence>> parts) {
  const auto has_entity = [](const TaggedSentence& sentence) {
    return std::ranges::any_of(sentence.tags, [](std::string_view tag) { return parse_tag(tag).part != 'O'; });
  };
  const auto is_any = [&](const auto& is_so) {
    return std::ranges::any_of(parts, [&](const auto& part) { return std::ranges::any_of(part, is_so); });
  };
  if (!is_any(has_entity)) return std::nullopt;
  for (const TagScheme scheme :
       {TagScheme::kIob1, TagScheme::kIob2, TagScheme::kIobes, TagScheme::kBmes, TagScheme::kBilou}) {
    TagRewriter rewriter(scheme);
    const auto changes = [&](const TaggedSentence& sentence) {
      TaggedSentence rewritten = sentence;
      rewriter.rewrite(rewritten);
      return rewritten.tags != sentence.tags;
    };
    if (!is_any(changes)) return scheme;
  }
  return std::nullopt;
}

std::string_view TagRewriter::name(char part, std::string_view entity_class) {
  const std::string prefix = scheme_ == TagScheme::kIo ? std::string() : std::string{part, '-'};
  return *names_.insert(prefix + std::string(entity_class)).first;
}

void TagRewriter::rewrite(TaggedSentence& sentence) {
  if (scheme_ == TagScheme::kNone) return;
  std::vector<Tag<std::string_view>> tags;
  tags.reserve(sentence.tags.size());
  for (const std::string_view tag : sentence.tags) tags.push_back(parse_tag(tag));
  const auto entities = entities_of<std::string_view>(tags);
  std::ranges::replace_if(
      sentence.tags, [](std::string_view tag) { return !tag.empty(); }, kOutside);
  for (std::size_t e = 0; e < entities.size(); ++e) {
    const auto& entity = entities[e];
    const bool adjacent =
        e > 0 && entities[e - 1].end == entity.begin && entities[e - 1].entity_class == entity.entity_class;
    for (std::int64_t t = entity.begin; t < entity.end; ++t)
      sentence.tags[t] = name(part_of(scheme_, entity, t, adjacent), entity.entity_class);
  }
}

}  // namespace cavs::inline v0_1

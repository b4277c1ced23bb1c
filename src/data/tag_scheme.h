#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/readers.h"
#include "data/data_spec.h"

namespace cavs::inline v0_1 {

/// How entities are written as tags.
enum class TagScheme : std::uint8_t {
  kIob1,   // I-X; B-X only for the first token of an entity right behind one of its class
  kIob2,   // B-X for the first token, I-X for the others (BIO)
  kIobes,  // B-X, I-X ..., E-X; S-X for an entity of one token
  kBmes,   // the same with M-X for I-X
  kBilou,  // the same with L-X for E-X, U-X for S-X
  kIo,     // X for each token
  kNone,   // any text: tags are no entities
};
inline constexpr std::array<std::string_view, 7> kTagSchemeNames{"iob1",  "iob2", "iobes", "bmes",
                                                                 "bilou", "io",   "none"};
/// True if any text is a tag.
inline bool takes_any_tag(std::optional<TagScheme> scheme) {
  return scheme == TagScheme::kIo || scheme == TagScheme::kNone;
}
/// None where no scheme has the name.
std::optional<TagScheme> find_tag_scheme(std::string_view name);

/// The scheme that the tags of data are to be written in: what the spec says with "tags", or else that of a model that
/// was trained (empty: unknown). @throws UserError where the spec asks for another one than the model's.
std::optional<TagScheme> scheme_for(const DataSpec& spec, std::string_view trained);

/// The scheme that all sentences follow as they are; none where there is none, or no entity. Cost: linear.
std::optional<TagScheme> detect_scheme(std::span<const std::vector<TaggedSentence>> parts);

/// Rewrites tags of any of the schemes in one of them. Owns the names that sentences then view.
class TagRewriter {
 public:
  explicit TagRewriter(TagScheme scheme) : scheme_(scheme) {}
  /// The same entities (see entities_of); a token without a tag stays without one. Cost: linear.
  void rewrite(TaggedSentence& sentence);

 private:
  std::string_view name(char part, std::string_view entity_class);

  TagScheme scheme_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace cavs::inline v0_1

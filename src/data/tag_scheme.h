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

/// Schemes in which tags mark the tokens of an entity of class X.
enum class TagScheme : std::uint8_t {
  kIob1,   // I-X; B-X only for the first token of an entity right after an entity of the same class
  kIob2,   // B-X for the first token, I-X for the others (BIO)
  kIobes,  // B-X, I-X ..., E-X; S-X for an entity of one token
  kBmes,   // as kIobes, with M-X for I-X
  kBilou,  // as kIobes, with L-X for E-X and U-X for S-X
  kIo,     // X for each token of an entity
  kNone,   // tags are any text, and do not mark entities
};
inline constexpr std::array<std::string_view, 7> kTagSchemeNames{"iob1",  "iob2", "iobes", "bmes",
                                                                 "bilou", "io",   "none"};
/// True if any text is a valid tag.
inline bool takes_any_tag(std::optional<TagScheme> scheme) {
  return scheme == TagScheme::kIo || scheme == TagScheme::kNone;
}
/// Returns the scheme with this name, or nullopt.
std::optional<TagScheme> find_tag_scheme(std::string_view name);

/// Returns the scheme in which tags of data are written: "tags" of the spec, or else the scheme of the trained model
/// (empty if unknown). @throws UserError if the spec and the model differ.
std::optional<TagScheme> scheme_for(const DataSpec& spec, std::string_view trained);

/// Returns the scheme that all sentences follow; nullopt if there is no such scheme, or no entity. Cost: linear.
std::optional<TagScheme> detect_scheme(std::span<const std::vector<TaggedSentence>> parts);

/// Converts tags of any scheme to one scheme. It owns the names that converted sentences view.
class TagRewriter {
 public:
  explicit TagRewriter(TagScheme scheme) : scheme_(scheme) {}
  /// Keeps the entities (see entities_of), and tokens without a tag. Cost: linear.
  void rewrite(TaggedSentence& sentence);

 private:
  std::string_view name(char part, std::string_view entity_class);

  TagScheme scheme_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace cavs::inline v0_1

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "cavs/readers.h"

namespace cavs {

/// How entities are written as tags.
enum class TagScheme : std::uint8_t {
  kIob1,   // I-X; B-X only for the first token of an entity right behind one of its class
  kIob2,   // B-X for the first token, I-X for the others (BIO)
  kIobes,  // B-X, I-X ..., E-X; S-X for an entity of one token
};

/// Rewrites tags of any of the schemes in one of them. Owns the names that sentences then view.
class TagRewriter {
 public:
  explicit TagRewriter(TagScheme scheme) : scheme_(scheme) {}
  /// The same entities (see entities_of). Cost: linear.
  void rewrite(TaggedSentence& sentence);

 private:
  std::string_view name(char part, std::string_view entity_class);

  TagScheme scheme_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace cavs

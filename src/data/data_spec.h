#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace cavs::inline v0_1 {

/// A parsed data spec. "listops:train=20000,length=50" has the kind "listops" and two options.
class DataSpec {
 public:
  explicit DataSpec(const std::string& spec);

  const std::string& kind() const { return kind_; }
  const std::string& path() const { return rest_; }

  /// Reads "key=value,..." and checks the keys.
  void parse_options(std::span<const std::string_view> known) { parse_items(rest_, known); }
  /// Like parse_options, for options after the files, "FILE,key=value,...". Removes them from files().
  void split_off_options(std::span<const std::string_view> known) { parse_items(cut_off_options(), known); }
  /// Removes the text after the files and returns it, without checks.
  std::string cut_off_options();
  /// Returns the value of an integer option, or `otherwise`. @throws UserError unless the value is in [min, max].
  std::int64_t integer(const std::string& key, std::int64_t otherwise, std::int64_t min, std::int64_t max) const;

  /// Returns the value of a choice, or `otherwise`. @throws UserError unless the value is one of the names.
  std::string choice(const std::string& key, const std::string& otherwise,
                     std::span<const std::string_view> names) const;

  /// Returns the value of an option, or "" if it is not given.
  std::string text(const std::string& key) const;

  /// The files of "kind:FILE" or "kind:train=FILE,dev=FILE"; dev may be empty.
  struct Files {
    std::string train, dev;
  };
  Files files() const;

 private:
  void parse_items(std::string_view items, std::span<const std::string_view> known);

  std::string spec_, kind_, rest_;
  std::map<std::string, std::string> options_;
};

}  // namespace cavs::inline v0_1

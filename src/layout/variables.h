#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// A unit of the memory order: a parameter, a value of F, or columns of a value that some node reads separately.
struct Variable {
  std::int32_t function = 0;  // number of the function; for a parameter: of the first one that reads it
  ValueId value = -1;
  std::int32_t begin = 0, width = 0;  // columns [begin, begin + width) of the value
  std::int32_t storage = 0;  // number of its storage (the parameters, or the values of one domain of a function)
  bool is_parameter = false;
};

/// The variables of vertex functions, numbered in order of declaration: parameters first, as in the model.
class Variables {
 public:
  /// @param functions   F of each function; tables that are only looked up are excluded.
  /// @param parameters  names in order of declaration.
  Variables(std::span<const Function* const> functions, std::span<const std::string> parameters);

  std::span<const Variable> all() const { return variables_; }
  /// Returns the variables of a value, in the order of its columns. Empty without memory (a constant, an integer).
  std::vector<std::int32_t> of(std::int32_t function, ValueId value) const;
  /// Returns, for each value with several variables, these variables. They must be side by side in exactly this order.
  const std::vector<std::vector<std::int32_t>>& records() const { return records_; }
  /// True if the instructions that compute a concat's inputs write directly into the concat.
  bool in_place(std::int32_t function, ValueId concat) const { return places_[function][concat].parts_in_place; }
  /// Returns the number of the parameter with this name.
  std::int32_t parameter(const std::string& name) const;

 private:
  /// The place of a value: columns [begin, begin + width) of value `owner`, often the value itself. -1 without memory.
  struct Place {
    ValueId owner = -1;
    std::int32_t begin = 0, width = 0;
    bool parts_in_place = false;
  };
  using Key = std::pair<std::int32_t, std::int32_t>;  // function and value, or -1 and the number of a parameter
  Key key_of(std::int32_t function, ValueId owner) const;
  void place_values(const Function& f);
  void place_concats(const Function& f, std::vector<Place>& places) const;

  std::vector<const Function*> functions_;
  std::vector<std::string> parameters_;
  std::vector<Variable> variables_;
  std::vector<std::vector<Place>> places_;                 // [functions][values]
  std::map<Key, std::vector<std::int32_t>> variables_of_;  // by owner (see Place): numbers of its variables
  std::vector<std::vector<std::int32_t>> records_;
};

}  // namespace cavs::inline v0_1

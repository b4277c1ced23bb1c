#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// What is ordered in memory: a parameter, a value of F, or columns of one that some node reads alone.
struct Variable {
  std::int32_t function = 0;  // of a parameter: the first that reads it; all share its order
  ValueId value = -1;
  std::int32_t begin = 0, width = 0;  // columns of the value
  std::int32_t storage = 0;  // only variables of one storage can be neighbours: parameters, rows of a function's domain
  bool is_parameter = false;
};

/// The variables of vertex functions, numbered in the order of declaration: parameters first, as the model has them.
class Variables {
 public:
  /// F of each function; tables that are only looked up are left out. `parameters`: names in order of declaration.
  Variables(std::span<const Function* const> functions, std::span<const std::string> parameters);

  std::span<const Variable> all() const { return variables_; }
  /// Those that a value consists of, in the order of its columns. Empty for what has no memory (constants, integers).
  std::vector<std::int32_t> of(std::int32_t function, ValueId value) const;
  /// Values of several variables, which stand in just this order.
  const std::vector<std::vector<std::int32_t>>& records() const { return records_; }
  /// Whether a concat is written in place by what computes its inputs.
  bool in_place(std::int32_t function, ValueId concat) const { return places_[function][concat].parts_in_place; }
  /// The number of a parameter's name.
  std::int32_t parameter(const std::string& name) const;

 private:
  /// Columns [begin, begin + width) of a value of the function, which may be itself. Owner -1: no memory.
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
  std::vector<std::vector<Place>> places_;                 // by function and value
  std::map<Key, std::vector<std::int32_t>> variables_of_;  // by owner
  std::vector<std::vector<std::int32_t>> records_;
};

}  // namespace cavs::inline v0_1

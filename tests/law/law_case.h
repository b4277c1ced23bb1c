#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "law/random_graphs.h"
#include "law/random_model.h"
#include "law/random_options.h"

namespace cavs::law {

/// A model, its data and a vector of options.
struct LawCase {
  std::uint64_t seed = 0;  // the seed from which the case was drawn
  Family family = Family::kDag;
  LawModel model = {};
  std::vector<LawGraph> graphs = {};
  OptionVector options = {};
};

/// Draws a case, as a pure function of the seed. The seed modulo kSizes is the size of functions and graphs.
LawCase draw_case(std::uint64_t seed);
inline constexpr std::uint64_t kSizes = 101;
/// The same with only `programs` different programs; data and options still differ. Compiling a program for a GPU takes
/// longer than running a case.
LawCase draw_case(std::uint64_t seed, std::uint64_t programs);

/// Cases that are smaller by one step, the largest steps first.
std::vector<LawCase> smaller(const LawCase& of);

/// The traits of a case: its value in each dimension. They include options and properties of the model and the data.
using Traits = std::map<std::string_view, std::string_view>;
Traits traits(const LawCase& of);
/// All dimensions, with all values that a case may have.
const std::map<std::string_view, std::vector<std::string_view>>& all_traits();

/// A combination that the library refuses, with a part of its message. An empty message marks a combination that no
/// case can have.
struct Refusal {
  Traits traits;
  std::string_view message;
};
const std::vector<Refusal>& all_refusals();
/// The refusals that apply to a case.
std::vector<const Refusal*> refusals_of(const LawCase& of);

/// Prints the case as a C++ program, which prints the law that the case breaks. `further` statements set options, too.
void print_program(const LawCase& of, const std::vector<std::string>& further, std::ostream& out);

}  // namespace cavs::law

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
  std::uint64_t seed = 0;  // that it was drawn with
  Family family = Family::kDag;
  LawModel model = {};
  std::vector<LawGraph> graphs = {};
  OptionVector options = {};
};

/// A pure function of the seed. Its remainder by kSizes is the size of functions and graphs.
LawCase draw_case(std::uint64_t seed);
inline constexpr std::uint64_t kSizes = 101;
/// One of so many programs, with data and options of its own. Compiling a program for a GPU takes longer than a case.
LawCase draw_case(std::uint64_t seed, std::uint64_t programs);

/// Cases that are smaller by one step, the largest steps first.
std::vector<LawCase> smaller(const LawCase& of);

/// The parts of a case: names of dimensions, and of its value in each. Besides options: traits of the model and of
/// the data.
using Traits = std::map<std::string_view, std::string_view>;
Traits traits(const LawCase& of);
/// All dimensions with all that a case may have.
const std::map<std::string_view, std::vector<std::string_view>>& all_traits();

/// A combination that the library refuses, with a part of its message; empty: one that no case can have.
struct Refusal {
  Traits traits;
  std::string_view message;
};
const std::vector<Refusal>& all_refusals();
/// Those that fit.
std::vector<const Refusal*> refusals_of(const LawCase& of);

/// The case as a C++ program: prints the law that it breaks.
void print_program(const LawCase& of, std::ostream& out);

}  // namespace cavs::law

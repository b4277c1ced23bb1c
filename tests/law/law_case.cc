#include "law/law_case.h"

#include <algorithm>

namespace cavs::law {
namespace {

std::size_t dimension(std::string_view name) {
  const auto all = all_dimensions();
  return static_cast<std::size_t>(std::ranges::find(all, name, &Dimension::name) - all.begin());
}

Numbers numbers_of(std::uint64_t seed) {
  Numbers numbers(seed);
  for (int i = 0; i < 4; ++i) numbers.next();
  return numbers;
}

/// Resets options that are refused together to their defaults, in most cases.
void avoid_refusals(Numbers& numbers, LawCase& of) {
  if (numbers.below(30) == 0) return;
  for (auto refusals = refusals_of(of); !refusals.empty(); refusals = refusals_of(of)) {
    std::vector<std::size_t> not_default;
    for (const auto& [name, value] : refusals[0]->traits) {
      const std::size_t d = dimension(name);
      if (d < of.options.size() && of.options[d] != 0) not_default.push_back(d);
    }
    of.options[not_default[numbers.below(static_cast<int>(not_default.size()))]] = 0;
  }
}

/// Adds cases with fewer functions, lines, sinks and feeds.
void add_smaller_models(const LawCase& of, std::vector<LawCase>& all) {
  const auto add = [&](std::size_t function, const LawFunction& smaller) {
    all.push_back(of);
    all.back().model.functions[function] = smaller;
  };
  for (std::size_t f = of.model.functions.size(); f-- > 1;) {
    LawCase& smaller = all.emplace_back(of);
    smaller.model = without_function(of.model, f);
    if (of.model.network) continue;
    for (LawGraph& graph : smaller.graphs)
      for (LawVertex& v : graph) v.type = v.type == static_cast<int>(f) ? 0 : v.type - (v.type > static_cast<int>(f));
  }
  for (std::size_t f = 0; f < of.model.functions.size(); ++f) {
    const LawFunction& function = of.model.functions[f];
    LawFunction half = function;
    for (std::size_t n = function.lines.size() / 2; n-- > 0;) half = without_line(half, half.lines.size() - 1);
    if (function.lines.size() > 3) add(f, half);
    for (std::size_t i = function.lines.size(); i-- > 0;) add(f, without_line(function, i));
    for (std::size_t k = function.feeds.size(); k-- > 0;) add(f, without_feed(function, k));
    for (std::size_t i = function.sinks.size(); i-- > 0;) {
      LawFunction without = function;
      const Sink::Kind kind = all_sinks()[function.sinks[i].what].kind;
      without.sinks.erase(without.sinks.begin() + static_cast<std::ptrdiff_t>(i));
      if (kind == Sink::Kind::kLoss || kind == Sink::Kind::kScore) add(f, without);
      without = function;
      without.sinks[i].x = 0;
      if (function.sinks[i].x != 0) add(f, without);
    }
  }
}

void add_smaller_graphs(const LawCase& of, std::vector<LawCase>& all) {
  for (std::size_t g = 0; g < of.graphs.size(); ++g) {
    if (of.graphs[g].size() < 4) continue;
    LawGraph half = of.graphs[g];
    while (half.size() > of.graphs[g].size() / 2) half = without_vertex(half, static_cast<int>(half.size()) - 1);
    all.emplace_back(of).graphs[g] = half;
  }
  for (std::size_t g = 0; g < of.graphs.size() && of.graphs.size() > 1; ++g) {
    LawCase& smaller = all.emplace_back(of);
    smaller.graphs.erase(smaller.graphs.begin() + static_cast<std::ptrdiff_t>(g));
  }
  for (std::size_t g = 0; g < of.graphs.size(); ++g)
    for (int v = static_cast<int>(of.graphs[g].size()); v-- > 0 && of.graphs[g].size() > 1;) {
      LawCase& smaller = all.emplace_back(of);
      smaller.graphs[g] = without_vertex(of.graphs[g], v);
    }
}

void add_absent_input(const LawCase& of, std::vector<LawCase>& all) {
  for (int LawVertex::*const port : {&LawVertex::word, &LawVertex::label, &LawVertex::box, &LawVertex::at})
    for (std::size_t g = 0; g < of.graphs.size(); ++g)
      for (std::size_t v = 0; v < of.graphs[g].size(); ++v)
        if (of.graphs[g][v].*port >= 0) {
          LawCase& smaller = all.emplace_back(of);
          smaller.graphs[g][v].*port = -1;
        }
}

std::string_view some_of(const std::vector<char>& have) {
  if (std::ranges::find(have, 1) == have.end()) return "none";
  return std::ranges::find(have, 0) == have.end() ? "all" : "some";
}

/// Tells if none, some or all functions do a thing.
template <typename Does>
std::string_view functions_that(const LawModel& model, Does does) {
  std::vector<char> have;
  for (const LawFunction& f : model.functions) have.push_back(does(f) ? 1 : 0);
  return some_of(have);
}

bool has_sink(const LawFunction& f, Sink::Kind kind) {
  return std::ranges::any_of(f.sinks, [&](const Line& sink) { return all_sinks()[sink.what].kind == kind; });
}
bool has_operator(const LawFunction& f, std::string_view name) {
  return std::ranges::any_of(f.lines, [&](const Line& line) {
    const std::string_view text = all_operators()[line.what].text;
    return text.find(name) != text.npos;
  });
}

constexpr std::string_view kFamilies[] = {"single vertices", "chains", "trees", "DAGs"};

}  // namespace

LawCase draw_case(std::uint64_t seed) {
  const int size = static_cast<int>(seed % kSizes);
  Numbers numbers = numbers_of(seed);
  LawCase drawn{.seed = seed};
  drawn.family = static_cast<Family>(numbers.below(10) == 0 ? 0 : 1 + numbers.below(3));
  drawn.model = draw_model(numbers, drawn.family, size);
  drawn.graphs = draw_graphs(numbers, drawn.model, drawn.family, size);
  drawn.options = draw_options(numbers);
  avoid_refusals(numbers, drawn);
  return drawn;
}

LawCase draw_case(std::uint64_t seed, std::uint64_t programs) {
  constexpr std::uint64_t kFarApart = 0x9E3779B97F4A7C15;
  LawCase drawn = draw_case((seed % programs + 1) * kFarApart);
  drawn.seed = seed;
  Numbers numbers = numbers_of(seed);
  drawn.graphs = draw_graphs(numbers, drawn.model, drawn.family, static_cast<int>(seed % kSizes));
  const OptionVector other = draw_options(numbers);
  const std::size_t of_session = dimension("threads");  // options from here on do not affect compilation
  for (std::size_t d = of_session; d < other.size(); ++d)
    if (d != dimension("precision")) drawn.options[d] = other[d];
  avoid_refusals(numbers, drawn);
  return drawn;
}

std::vector<LawCase> smaller(const LawCase& of) {
  std::vector<LawCase> all;
  add_smaller_graphs(of, all);
  for (std::size_t i = 0; i < of.options.size(); ++i)
    if (of.options[i] != 0) {
      LawCase& other = all.emplace_back(of);
      other.options[i] = 0;
    }
  add_smaller_models(of, all);
  add_absent_input(of, all);
  return all;
}

Traits traits(const LawCase& of) {
  Traits all;
  for (std::size_t i = 0; i < of.options.size(); ++i)
    all[all_dimensions()[i].name] = all_dimensions()[i].choices[of.options[i]].name;
  const LawModel& m = of.model;
  all["model"] = m.network ? "network" : "plain";
  all["functions"] = m.functions.size() == 1 ? "one" : "several";
  all["graphs"] = kFamilies[static_cast<std::size_t>(of.family)];
  all["samples"] = of.graphs.size() == 1 ? "one" : "several";
  all["types with dropout"] = functions_that(m, [](const auto& f) { return has_operator(f, "dropout"); });
  all["types with pushes"] = functions_that(m, [](const auto& f) { return has_sink(f, Sink::Kind::kOut); });
  all["types with losses"] = functions_that(m, [](const auto& f) { return has_sink(f, Sink::Kind::kLoss); });
  all["types with edge input"] = functions_that(m, [](const auto& f) { return has_operator(f, "pull_edge"); });
  return all;
}

const std::map<std::string_view, std::vector<std::string_view>>& all_traits() {
  static const auto kAll = [] {
    std::map<std::string_view, std::vector<std::string_view>> all{
        {"model", {"plain", "network"}},
        {"functions", {"one", "several"}},
        {"graphs", {std::begin(kFamilies), std::end(kFamilies)}},
        {"samples", {"one", "several"}},
        {"types with dropout", {"none", "some", "all"}},
        {"types with pushes", {"some", "all"}},
        {"types with losses", {"none", "some", "all"}},
        {"types with edge input", {"none", "some", "all"}}};
    for (const Dimension& dimension : all_dimensions())
      for (const Choice& choice : dimension.choices) all[dimension.name].push_back(choice.name);
    return all;
  }();
  return kAll;
}

std::vector<const Refusal*> refusals_of(const LawCase& of) {
  const Traits found = traits(of);
  std::vector<const Refusal*> all;
  for (const Refusal& refusal : all_refusals())
    if (std::ranges::all_of(refusal.traits, [&](const auto& trait) { return found.at(trait.first) == trait.second; }))
      all.push_back(&refusal);
  return all;
}

}  // namespace cavs::law

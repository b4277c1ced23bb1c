// Prints a case as a C++ program.

#include <ostream>
#include <string>

#include "law/law_case.h"

namespace cavs::law {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Replaces `name` where it is a whole word.
std::string replaced(std::string_view text, char name, const std::string& by) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_word =
        text[i] == name && (i == 0 || !is_name(text[i - 1])) && (i + 1 == text.size() || !is_name(text[i + 1]));
    if (is_word)
      out += by;
    else
      out += text[i];
  }
  return out;
}

std::string text_of(const Operand& operand) {
  const std::string name = "a" + std::to_string(operand.value);
  return operand.is_summed ? "sum(" + name + ")" : name;
}

void print_function(const LawModel& model, std::size_t number, std::ostream& out) {
  const LawFunction& f = model.functions[number];
  out << "  m.vertex_function(\"" << function_name(model, number) << "\", [&](Vertex& v) {\n"
      << "    [[maybe_unused]] const int first = " << f.first << ";\n";
  int value = 0;
  for (const Statement& s : statements(model, f)) {
    std::string text(s.sink != nullptr ? s.sink->text : s.op->text);
    if (s.x.value >= 0) text = replaced(text, 'x', text_of(s.x));
    if (s.y.value >= 0) text = replaced(text, 'y', text_of(s.y));
    out << "    ";
    if (s.sink == nullptr) out << "[[maybe_unused]] const Value a" << value++ << " = ";
    out << text << ";\n";
  }
  out << "  }";
  if (model.network) {
    out << ", {.over = {";
    for (const int type : f.over) out << '"' << type_name(type) << "\", ";
    out << "}, .reverse = " << (f.reverse ? "true" : "false") << '}';
  }
  out << ");\n";
}

void print_connections(const LawModel& model, std::ostream& out) {
  constexpr const char* kMaps[] = {"same()", "root()", "start()", "all()", "given(\"at\")"};
  for (std::size_t i = 0; i < model.functions.size(); ++i)
    for (std::size_t k = 0; k < model.functions[i].feeds.size(); ++k) {
      const Feed& feed = model.functions[i].feeds[k];
      out << "  m.connect({\"" << function_name(model, feed.from) << "\", \"link\"}, {\"" << function_name(model, i)
          << "\", \"" << feed_port(model.functions[i], k) << "\"}, RowMap::" << kMaps[static_cast<int>(feed.rows)]
          << ");\n";
    }
}

template <typename T>
void print_list(const std::vector<T>& values, std::ostream& out) {
  out << '{';
  for (const T& value : values) out << +value << ", ";
  out << '}';
}

template <typename T>
void print_lists(const char* name, const std::vector<std::vector<T>>& lists, std::ostream& out) {
  out << ",\n             ." << name << " = {";
  for (const auto& list : lists) {
    print_list(list, out);
    out << ", ";
  }
  out << '}';
}

void print_graph(const LawGraph& graph, std::ostream& out) {
  const InputGraph input = to_input(graph);
  out << "  graphs.add({.types = ";
  print_list(input.types, out);
  out << ",\n             .child_offsets = ";
  print_list(input.child_offsets, out);
  out << ",\n             .children = ";
  print_list(input.children, out);
  print_lists("index_pulls", input.index_pulls, out);
  print_lists("float_pulls", input.float_pulls, out);
  print_lists("float_present", input.float_present, out);
  print_lists("edge_index_pulls", input.edge_index_pulls, out);
  print_lists("edge_float_pulls", input.edge_float_pulls, out);
  print_lists("edge_float_present", input.edge_float_present, out);
  out << "});\n";
}

}  // namespace

void print_program(const LawCase& of, const std::vector<std::string>& further, std::ostream& out) {
  out << "// Prints the law that this case (seed " << of.seed << ") breaks. In a build folder of the library:\n"
      << "//   c++ -std=c++20 -ITREE/{include,src,tests} case.cc TREE/tests/law/{laws,training,tensors}.cc \\\n"
      << "//     src/libcavs.a -lspdlog -lfmt -lz\n"
      << "#include <iostream>\n\n#include \"cavs/cavs.h\"\n#include \"law/laws.h\"\n\n"
      << "using namespace cavs;\nusing namespace cavs::law;\nusing Decay = LearningRateSchedule::Decay;\n\n"
      << "int main() {\n  Model m({.seed = " << of.model.seed << "});\n  const int d = " << of.model.width << ";\n"
      << "  m.parameter(\"W0\", {d, d});\n";
  for (std::size_t i = 0; i < of.model.functions.size(); ++i) print_function(of.model, i, out);
  print_connections(of.model, out);
  out << "  GraphSet graphs({.types = {";
  for (int t = 0; t < of.model.types; ++t) out << '"' << type_name(t) << "\", ";
  out << "},\n                   .index_ports = {\"word\", \"label\", \"at\"},\n"
      << "                   .float_ports = {{\"box\", 4}},\n"
      << "                   .edge_index_ports = {\"relation\"},\n"
      << "                   .edge_float_ports = {{\"bond\", 3}}});\n";
  for (const LawGraph& graph : of.graphs) print_graph(graph, out);
  out << "  LawOptions o;\n";
  for (const std::string_view statement : statements(of.options)) out << "  " << statement << ";\n";
  for (const std::string& statement : further) out << "  " << statement << ";\n";
  out << "  std::cout << broken_law(m, graphs, o) << '\\n';\n}\n";
}

}  // namespace cavs::law

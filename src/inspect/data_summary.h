#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cavs/data.h"
#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// The smallest, the middle, the mean and the largest of some numbers; zeros where there are none.
struct Spread {
  std::int64_t min = 0, max = 0;
  double median = 0, mean = 0;
  bool operator==(const Spread&) const = default;
};
Spread spread_of(std::vector<std::int64_t> numbers);

/// What stands at a port.
struct PortSummary {
  std::string name;
  std::int32_t width = 0;      // of a float row; 0: an index port
  std::int64_t present = 0;    // vertices, or edges, that have a value
  std::int32_t max_index = 0;  // of an index port; -1 where it is absent everywhere
  bool of_edges = false;
  // Where text of the port's own vocabulary stands there; else 0. The size includes "<unk>".
  std::int64_t vocabulary = 0, unknown = 0;
  bool operator==(const PortSummary&) const = default;
};

/// A training or development part in numbers.
struct PartSummary {
  std::int64_t samples = 0, vertices = 0, edges = 0, roots = 0;
  Spread sizes;                      // vertices of a sample
  Spread depths;                     // edges on the longest path of a sample
  Spread arities;                    // child slots of a vertex that has some
  std::vector<std::int64_t> types;   // vertices of each type of the schema
  std::vector<PortSummary> ports;    // index ports, then float ports, as the schema has them; then those of edges
  std::vector<std::int64_t> labels;  // vertices of each class
  std::int64_t labelled = 0;         // vertices
  std::int64_t unlabelled_samples = 0;
  std::int64_t words = 0, unknown_words = 0;  // vertices with a word; with one that is not in the vocabulary
};

/// Something that is worth a look.
struct Oddity {
  std::string name;  // for programs
  std::int64_t count = 0;
  std::string text;  // for people
};

struct DataSummary {
  GraphSchema schema;
  PartSummary train;
  std::optional<PartSummary> dev;
  std::vector<std::string> classes;  // names, or numbers where there are none
  std::int32_t vocabulary = 0;       // words that are known, "<unk>" included; 0 where words are numbers
  std::vector<Oddity> oddities;
};

/// Cost: linear in vertices and in classes. A stream's samples are not read.
DataSummary summarise(const Dataset& data);

/// The names of a data set's classes; empty where they are numbers.
std::vector<std::string> names_of_classes(const Dataset& data);

/// What is odd about the samples themselves: copies, samples of both parts, samples of an unusual size, and so on.
/// `summary`: all else of it. Cost: linear in vertices.
std::vector<Oddity> find_oddities(const Dataset& data, const DataSummary& summary);

}  // namespace cavs::inline v0_1

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cavs/data.h"
#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// Smallest, median, mean and largest of some numbers; zeros if there are none.
struct Spread {
  std::int64_t min = 0, max = 0;
  double median = 0, mean = 0;
  bool operator==(const Spread&) const = default;
};
Spread spread_of(std::vector<std::int64_t> numbers);

/// The values at a port.
struct PortSummary {
  std::string name;
  std::int32_t width = 0;      // width of a float row; 0: an index port
  std::int64_t present = 0;    // number of vertices, or edges, with a value
  std::int32_t max_index = 0;  // index ports: largest value; -1 if absent everywhere
  bool of_edges = false;
  // Size of the port's own vocabulary, with "<unk>", and number of unknown words; 0 if it has none.
  std::int64_t vocabulary = 0, unknown = 0;
  bool operator==(const PortSummary&) const = default;
};

/// Statistics of a training or development part.
struct PartSummary {
  std::int64_t samples = 0, vertices = 0, edges = 0, roots = 0;
  Spread sizes;                      // vertices per sample
  Spread depths;                     // edges on the longest path, per sample
  Spread arities;                    // child slots per vertex that has some
  std::vector<std::int64_t> types;   // number of vertices, by type of the schema
  std::vector<PortSummary> ports;    // index ports, then float ports, in schema order; then those of edges
  std::vector<std::int64_t> labels;  // number of vertices, by class
  std::int64_t labelled = 0;         // number of labelled vertices
  std::int64_t unlabelled_samples = 0;
  std::int64_t words = 0, unknown_words = 0;  // vertices with a word, and those with an unknown word
};

/// Something unusual in the data that the user should check.
struct Oddity {
  std::string name;  // for programs
  std::int64_t count = 0;
  std::string text;  // for people
};

struct DataSummary {
  GraphSchema schema;
  PartSummary train;
  std::optional<PartSummary> dev;
  std::vector<std::string> classes;  // names, or numbers if there are no names
  std::int32_t vocabulary = 0;       // number of known words, with "<unk>"; 0 if words are numbers
  std::vector<Oddity> oddities;
};

/// Returns the summary of a data set. Cost: linear in vertices and classes. Does not read the samples of a stream.
DataSummary summarise(const Dataset& data);

/// Returns the names of a data set's classes; empty if classes are numbers.
std::vector<std::string> names_of_classes(const Dataset& data);

/// Finds oddities of the samples, such as copies, samples of both parts and samples of unusual sizes. `summary` has the
/// rest of the summary. Cost: linear in vertices.
std::vector<Oddity> find_oddities(const Dataset& data, const DataSummary& summary);

}  // namespace cavs::inline v0_1

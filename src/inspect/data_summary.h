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

/// Statistics of the values at a port.
struct PortSummary {
  std::string name;
  std::int32_t width = 0;      // floats per row of a float port; 0 for an index port
  std::int64_t present = 0;    // number of vertices (or edges, for a port of edges) with a value
  std::int32_t max_index = 0;  // index ports: largest value, or -1 if there is no value
  bool of_edges = false;
  // Number of words in the port's own vocabulary, including "<unk>", and of unknown words; 0 without a vocabulary.
  std::int64_t vocabulary = 0, unknown = 0;
  bool operator==(const PortSummary&) const = default;
};

/// Statistics of the training part or the development part of a data set.
struct PartSummary {
  std::int64_t samples = 0, vertices = 0, edges = 0, roots = 0;
  Spread sizes;                      // number of vertices per sample
  Spread depths;                     // number of edges on the longest path, per sample
  Spread arities;                    // number of child slots per vertex that has any
  std::vector<std::int64_t> types;   // [types of the schema] number of vertices
  std::vector<PortSummary> ports;    // index ports, then float ports, in the schema's order; then ports of edges
  std::vector<std::int64_t> labels;  // [classes] number of vertices with that label
  std::int64_t labelled = 0;         // number of labelled vertices
  std::int64_t unlabelled_samples = 0;
  std::int64_t words = 0, unknown_words = 0;  // number of vertices with a word, and with an unknown word
};

/// Something unusual in the data that the user should check.
struct Oddity {
  std::string name;        // identifies the kind of oddity, for programs
  std::int64_t count = 0;  // number of samples, words, ... that are concerned
  std::string text;        // a sentence for people
};

struct DataSummary {
  GraphSchema schema;
  PartSummary train;
  std::optional<PartSummary> dev;
  std::vector<std::string> classes;  // names of the classes, or numbers as text
  std::int32_t vocabulary = 0;       // number of words, including "<unk>"; 0 if words are numbers
  std::vector<Oddity> oddities;
};

/// Returns the summary of a data set. Cost: linear in vertices and classes. Does not read the samples of a stream.
DataSummary summarise(const Dataset& data);

/// Returns the names of a data set's classes; empty if classes are numbers.
std::vector<std::string> names_of_classes(const Dataset& data);

/// Finds oddities of the samples, such as copies, samples that occur in both parts, and samples of unusual sizes. Reads
/// `summary`, in which only the oddities are missing. Cost: linear in vertices.
std::vector<Oddity> find_oddities(const Dataset& data, const DataSummary& summary);

}  // namespace cavs::inline v0_1

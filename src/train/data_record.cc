#include "train/data_record.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "support/check.h"
#include "support/json_check.h"

namespace cavs::inline v0_1 {
namespace {

using Json = nlohmann::json;

constexpr const char *kSchema = "schema", *kGraphBuilder = "graph_builder", *kTags = "tags", *kTagScheme = "tag_scheme",
                     *kEdgeNames = "edge_names", *kPortWords = "port_words", *kLexicon = "lexicon";

std::string schema_to_json(const GraphSchema& schema) {
  const auto floats = [](const std::vector<GraphSchema::FloatPort>& all) {
    Json ports = Json::array();
    for (const auto& port : all) ports.push_back({{"name", port.name}, {"width", port.width}});
    return ports;
  };
  Json json{{"types", schema.types}, {"index_ports", schema.index_ports}, {"float_ports", floats(schema.float_ports)}};
  if (!schema.edge_index_ports.empty()) json["edge_index_ports"] = schema.edge_index_ports;
  if (!schema.edge_float_ports.empty()) json["edge_float_ports"] = floats(schema.edge_float_ports);
  return json.dump();
}

GraphSchema schema_from(const Json& json, const std::string& what) {
  constexpr std::int64_t kWidest = std::numeric_limits<std::int32_t>::max();
  GraphSchema schema{.types = json.at("types").get<std::vector<std::string>>(),
                     .index_ports = json.at("index_ports").get<std::vector<std::string>>(),
                     .float_ports = {}};
  const auto add = [&what](const Json& ports, std::vector<GraphSchema::FloatPort>& to) {
    for (const auto& port : ports)
      to.push_back({port.at("name").get<std::string>(),
                    static_cast<std::int32_t>(json_integer(port.at("width"), 1, kWidest, what + ": width"))});
  };
  add(json.at("float_ports"), schema.float_ports);
  schema.edge_index_ports = json.value("edge_index_ports", std::vector<std::string>());
  add(json.value("edge_float_ports", Json::array()), schema.edge_float_ports);
  return schema;
}

/// Parses the text and calls f with the JSON. @param expected  The expected contents, for the message.
template <typename F>
void read_json(const std::string& text, int depth, const std::string& what, const char* expected, F f) {
  try {
    f(parse_json(text, depth, what));
  } catch (const Json::exception& e) {
    user_error("{}: expected {}: {}", what, expected, e.what());
  }
}

}  // namespace

std::map<std::string, std::string> texts_of(const DataRecord& data) {
  std::map<std::string, std::string> texts;
  if (data.schema) texts[kSchema] = schema_to_json(*data.schema);
  if (!data.graph_builder.empty()) texts[kGraphBuilder] = data.graph_builder;
  if (!data.class_names.empty()) texts[kTags] = Json(data.class_names).dump();
  if (!data.tag_scheme.empty()) texts[kTagScheme] = data.tag_scheme;
  if (!data.edge_names.empty()) texts[kEdgeNames] = Json(data.edge_names).dump();
  if (!data.port_words.empty()) texts[kPortWords] = Json(data.port_words).dump();
  if (data.lexicon) texts[kLexicon] = *data.lexicon;
  return texts;
}

void take_texts(std::map<std::string, std::string>& texts, const std::string& where, DataRecord& data) {
  const auto take = [&](const char* name, auto use) {
    if (auto found = texts.extract(name)) use(found.mapped());
  };
  const auto what = [&](const char* name) { return fmt::format("{}: {}", where, name); };
  take(kSchema, [&](const std::string& text) {
    read_json(text, 4, what(kSchema), "types, index_ports and float_ports",
              [&](const Json& json) { data.schema = schema_from(json, what(kSchema)); });
  });
  take(kTags, [&](const std::string& text) {
    read_json(text, 2, what(kTags), "an array of names", [&](const Json& json) { json.get_to(data.class_names); });
  });
  take(kEdgeNames, [&](const std::string& text) {
    read_json(text, 3, what(kEdgeNames), "an object with an array of names for each port",
              [&](const Json& json) { json.get_to(data.edge_names); });
  });
  take(kPortWords, [&](const std::string& text) {
    read_json(text, 3, what(kPortWords), "an object of arrays of words, by index port",
              [&](const Json& json) { json.get_to(data.port_words); });
  });
  take(kGraphBuilder, [&](std::string& text) { data.graph_builder = std::move(text); });
  take(kTagScheme, [&](std::string& text) { data.tag_scheme = std::move(text); });
  take(kLexicon, [&](std::string& text) { data.lexicon = std::move(text); });
}

}  // namespace cavs::inline v0_1

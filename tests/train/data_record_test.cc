// The record of the data set in a checkpoint file.

#include "train/data_record.h"

#include <gmock/gmock.h>

#include "cavs/trainer.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(DataRecord, IsRefusedIfATextIsMalformed) {
  const struct {
    const char *name, *text, *expected;
  } cases[]{
      {"port_words", R"(["pos"])", "expected an object of arrays of words"},
      {"port_words", R"({"pos":[1,2,3]})", "expected an object of arrays of words"},
      {"port_words", R"({"pos":"noun"})", "expected an object of arrays of words"},
      {"port_words", "{", "port_words"},
      {"edge_names", "[1]", "expected an object with an array of names for each port"},
      {"tags", R"({"a":1})", "expected an array of names"},
      {"schema", R"({"types":[]})", "expected types, index_ports and float_ports"},
      {"schema", R"({"types":[],"index_ports":[],"float_ports":[{"name":"x","width":0}]})", "width"},
  };
  for (const auto& [name, text, expected] : cases) {
    std::map<std::string, std::string> texts{{name, text}};
    DataRecord data;
    EXPECT_THAT(error_of([&] { take_texts(texts, "a.cavs", data); }),
                AllOf(StartsWith("a.cavs: "), HasSubstr(expected)))
        << name << ": " << text;
  }
}

TEST(DataRecord, KeepsOtherTextsUnchanged) {
  std::map<std::string, std::string> texts{{"mine", "1"}, {"tag_scheme", "iob2"}};
  DataRecord data;
  take_texts(texts, "a.cavs", data);
  EXPECT_EQ(data, (DataRecord{.tag_scheme = "iob2"}));
  EXPECT_EQ(texts, (std::map<std::string, std::string>{{"mine", "1"}}));
}

TEST(DataRecord, HasReservedNames) {
  const TemporaryFolder folder;
  Checkpoint checkpoint;
  checkpoint.data.class_names = {"O"};
  checkpoint.extra["tags"] = "mine";
  EXPECT_THAT(error_of([&] { save_checkpoint(folder / "a", checkpoint); }),
              HasSubstr("the name of its extra text 'tags' is reserved for the record of the data"));
}

TEST(DataRecord, DescribesTheDataOfATrainer) {
  const std::string spec = "tags:train=6,test=2,vocabulary=9";
  const Dataset data = load_data(spec);
  Model model;
  const Lookup E = model.lookup("E", {data.rows("word"), data.classes});
  model.vertex_function("token", [&](Vertex& v) {
    const Value x = E(v.pull_index("word")) + sum(v.children("x"));
    v.scatter("x", x);
    v.loss(softmax_cross_entropy(x, v.pull_index("label")));
  });
  Trainer trainer(model, data);
  trainer.record().extra["mine"] = "1";
  const Checkpoint checkpoint = trainer.checkpoint();
  EXPECT_EQ(checkpoint.data.spec, spec);
  EXPECT_EQ(checkpoint.data.words, data.words.words());
  EXPECT_EQ(checkpoint.data.class_names, data.class_names);
  EXPECT_EQ(checkpoint.data.schema, data.schema);
  EXPECT_EQ(checkpoint.extra.at("mine"), "1");
  EXPECT_EQ(checkpoint.position, trainer.position());
}

}  // namespace
}  // namespace cavs

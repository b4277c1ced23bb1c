#include "data/text_stream.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "cavs/models.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::HasSubstr;

/// A text longer than a block of the reader, with blank lines and no newline at its end.
std::string long_text() {
  std::string text = "\n";
  for (int i = 0; text.size() < 1'200'000; ++i)
    text += (i % 100 == 0 ? "\n" : "") + std::string("line ") + std::to_string(i * 7919 % 1'000) + " of a text\n";
  return text + "the end";
}

TEST(TextReader, ReturnsWholeLinesAndCanRestart) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  TextReader reader(written(folder / "a.txt", text));
  for (int pass = 0; pass < 2; ++pass, reader.rewind()) {
    std::string all;
    int pieces = 0;
    for (std::string piece = reader.next_lines(); !piece.empty(); piece = reader.next_lines(), ++pieces) {
      all += piece;
      EXPECT_TRUE(piece.back() == '\n' || all.size() == text.size());
    }
    EXPECT_EQ(all, text);
    EXPECT_EQ(pieces, 3);  // two blocks, and the text after the last newline
  }
  EXPECT_THAT(
      error_of([&] { TextReader(written(folder / "long", std::string(3'000'000, 'a'))).next_lines(2'000'000); }),
      HasSubstr("long: a line is longer than 2000000 bytes; split it"));
}

TEST(TextStream, GivesTheSamplesOfLoading) {
  const TemporaryFolder folder;
  const std::string text = long_text(), zipped = folder / "a.txt.gz";
  gzFile gzip = gzopen(zipped.c_str(), "wb");
  gzwrite(gzip, text.data(), static_cast<unsigned>(text.size()));
  gzclose(gzip);
  const std::vector<std::pair<std::string, std::int64_t>> cases{{written(folder / "a.txt", text), 30'000}, {zipped, 0}};
  for (const auto& [path, limit] : cases) {
    const Dataset whole = load_data("text:" + path, {.limit = limit});
    const Dataset streamed = load_data("text:" + path, {.limit = limit, .stream = true});
    EXPECT_EQ(streamed.words.words(), whole.words.words());
    EXPECT_EQ(streamed.train.size(), 0);
    ASSERT_EQ(streamed.stream->samples(), whole.train.size());
    for (int pass = 0; pass < 2; ++pass, streamed.stream->rewind()) {
      GraphSet graphs(streamed.stream->schema());
      for (std::int64_t i = 0; i < streamed.stream->samples(); ++i) graphs.add(streamed.stream->next());
      EXPECT_EQ(graphs.to_arrays().index_pulls, whole.train.to_arrays().index_pulls);
      EXPECT_EQ(graphs.to_arrays().sample_begin, whole.train.to_arrays().sample_begin);
    }
  }
}

TEST(TextStream, MakesGraphsForAModel) {
  const TemporaryFolder folder;
  const std::string path = written(folder / "a.txt", "one two\nthree\n");
  const Model network = find_model("bilstm-tagger").make({});
  const Dataset data = load_data("text:" + path, {.stream = true, .network = &network});
  EXPECT_EQ(data.stream->schema(), network_builder(network, chain_schema()).target);
  EXPECT_EQ(data.stream->next().types.size(), 5U * 3);
}

TEST(TextStream, EqualContentsHaveEqualHashes) {
  const TemporaryFolder folder;
  const auto hash_of = [&](const std::string& text) {
    return load_data("text:" + written(folder / "a.txt", text), {.stream = true}).stream->content_hash();
  };
  EXPECT_EQ(hash_of("a b\nc\n"), hash_of("a b\nc\n"));
  EXPECT_NE(hash_of("a b\nc\n"), hash_of("a b\nd\n"));
}

TEST(TextStream, ReportsWhatCannotBeStreamed) {
  const TemporaryFolder folder;
  const std::string path = written(folder / "a.txt", "one two\nthree\n");
  EXPECT_EQ(error_of([&] { load_data("listops:train=1,test=0", {.stream = true}); }),
            "data 'listops:train=1,test=0': samples of this kind cannot be streamed; expected text with one sample per "
            "line (text:FILE)");
  EXPECT_THAT(error_of([&] { load_data("text:" + path + ",steps=2", {.stream = true}); }),
              HasSubstr("chains of steps=2 cannot be streamed"));
  EXPECT_THAT(error_of([&] { load_data("text:" + written(folder / "blank", "\n \n"), {.stream = true}); }),
              HasSubstr("blank:3: no word"));
  EXPECT_THAT(error_of([&] { load_data("text:" + written(folder / "bad", "a\n\xFF\n"), {.stream = true}); }),
              HasSubstr("bad:2: expected UTF-8"));
  const Dataset data = load_data("text:" + path, {.stream = true});
  written(path, "one two\n");
  EXPECT_THAT(error_of([&] {
                data.stream->rewind();
                data.stream->next();
                data.stream->next();
              }),
              HasSubstr("a.txt: the file has changed while it was in use"));
}

TEST(TextStream, DetectsAChangedTextOfEqualSize) {
  const TemporaryFolder folder;
  const std::string path = written(folder / "a.txt", "one two\nthree\n");
  const auto later = [&](const std::string& file) {  // moves the time by more than a tick of the file system's clock
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::milliseconds(10));
  };
  const Dataset data = load_data("text:" + path, {.stream = true});
  EXPECT_NO_THROW(data.stream->rewind());
  later(written(path, "one owt\nthree\n"));
  EXPECT_THAT(error_of([&] { data.stream->rewind(); }), HasSubstr("a.txt: the file has changed while it was in use"));
  const Dataset again = load_data("text:" + path, {.stream = true});
  std::filesystem::rename(written(folder / "b.txt", "one two\nthree\n"), path);
  EXPECT_THAT(error_of([&] { again.stream->rewind(); }), HasSubstr("a.txt: the file has changed while it was in use"));
}

TEST(TextReader, DetectsAChangeWhileReading) {
  const TemporaryFolder folder;
  const std::string path = written(folder / "a.txt", long_text());
  TextReader reader(path);
  std::string text;
  ASSERT_TRUE(reader.read_block(text));
  std::ofstream(path, std::ios::app) << "more\n";
  EXPECT_THAT(error_of([&] { reader.read_block(text); }), HasSubstr("the file has changed while it was in use"));
}

}  // namespace
}  // namespace cavs

#include "cavs/readers.h"
#include "data/lexicon.h"
#include "fuzz/fuzz_check.h"

/// Input: a lexicon; then a form feed and a sentence in characters, as CoNLL lines or as text.
CAVS_FUZZ_TARGET(lexicon) {
  const auto lexicon = std::make_shared<const Lexicon>(take_part(bytes, '\f'), "fuzz");
  const std::string words = lexicon->words();
  expect(Lexicon::from_words(words).words() == words, "a lexicon that was kept is read as it was");
  SampleOptions options{.schema = lattice_schema(), .classes = 3};
  options.data_kind = "weibo";
  options.lexicon = lexicon;
  const Samples samples = parse_samples(bytes, options);
  expect(samples.texts.size() == static_cast<std::size_t>(samples.graphs.size()), "each sample has a text");
}

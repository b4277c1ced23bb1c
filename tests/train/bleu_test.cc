#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cavs/evaluator.h"
#include "train/tokenize_13a.h"

namespace cavs {
namespace {

struct Case {
  std::string name;
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string_view>> references;  // of each hypothesis
  double expected = 0;                                    // from sacrebleu 2.6.0, corpus_bleu(hypotheses, references)
};

std::vector<Case> cases() {
  return {
      {"all right", {"the cat sat on the mat ."}, {{"the cat sat on the mat ."}}, 100.00000000000004},
      {"punctuation is separated",
       {"The cat is on the mat.", "There is a cat on the big, red mat!", "He paid 1,000.50 dollars."},
       {{"The cat sat on the mat."}, {"There's a cat on the big red mat!"}, {"He paid $1,000.50."}},
       42.47669583927051},
      {"orders without a match", {"a b c d e f", "the x y z"}, {{"a b q d e q"}, {"the p q r"}}, 15.97357760615681},
      {"too short",
       {"the cat sat on", "it is"},
       {{"the cat sat on the mat today"}, {"it is what it is ."}},
       31.140322391459787},
      {"nothing right", {"x y z w v"}, {{"a b c d e"}}, 0},
      {"no four words in a row", {"a b c"}, {{"a b c"}}, 0},
      {"two references",
       {"the cat the cat on the mat in the house", "a dog barks loudly at night ."},
       {{"the cat is on the mat in a house", "there is a cat on the mat , in the house"},
        {"a dog barks at night .", "dogs bark very loudly at night ."}},
       55.77159816878344},
      {"letters that are not ASCII",
       {"zwei junge weiße männer sind im freien in der nähe vieler büsche .",
        "ein mann in grün hält eine gitarre , während der andere mann sein hemd ansieht ."},
       {{"zwei junge , weiße männer sind draußen in der nähe von büschen ."},
        {"ein mann in einem grünen hemd hält eine gitarre , der andere mann sieht sein hemd an ."}},
       23.191058724059676},
      {"an empty sentence",
       {"", "the cat sat on the mat"},
       {{"a thing"}, {"the cat sat on the mat"}},
       71.65313105737896},
  };
}

TEST(Bleu, AgreesWithSacrebleu) {
  for (const Case& c : cases()) {
    Bleu bleu;
    for (std::size_t i = 0; i < c.hypotheses.size(); ++i) bleu.add(c.hypotheses[i], c.references[i]);
    EXPECT_NEAR(bleu.score(), c.expected, 1e-9) << c.name;
  }
  EXPECT_EQ(Bleu().score(), 0);
}

TEST(Tokenize13a, AgreesWithSacrebleu) {
  const std::vector<std::pair<std::string, std::string>> lines{
      {"Hello, world! It's 3.14 (or 1,000).", "Hello , world ! It's 3.14 ( or 1,000 ) ."},
      {"a-b 5-6 x.y e.g. U.S.A., 10.", "a-b 5 - 6 x . y e . g . U . S . A . , 10 ."},
      {"&quot;R&amp;D&quot; &lt;b&gt; 100%/50$ a_b {x|y}~", R"(" R & D " < b > 100 % / 50 $ a _ b { x | y } ~)"},
      {"..,, 1..2 .5 5. -3 3-", ". . , , 1 . . 2 . 5 5 . -3 3 -"},
      {"café\u00A0crème\u3000brulée\u2009.", "café crème brulée ."},
      {"<skipped>well-\nknown\nline -\n", "wellknown line -"},
      {"", ""},
      {"ä.ö,ü 1,é 你好。再见.", "ä . ö , ü 1 , é 你好。再见 ."},
      {R"(don't [stop] "now"; #1 @home)", R"(don't [ stop ] " now " ; # 1 @ home)"},
      {"\x1Ctab\there\u0085"
       "end",
       "tab here end"},
  };
  for (const auto& [line, tokens] : lines) EXPECT_EQ(tokenize_13a(line), tokens) << line;
}

TEST(Tokenize13a, AcceptsAnyBytes) {
  EXPECT_EQ(tokenize_13a("\xC2"), "\xC2");
  EXPECT_EQ(tokenize_13a("\xE2\x80.\xFF"), "\xE2\x80 . \xFF");
}

}  // namespace
}  // namespace cavs

// Mistakes in data sets, and in samples for prediction (bad_input_test.cc runs them).
#include "bad_input.h"

namespace cavs::testing {

Section bad_data(const Workplace& place) {
  Section section{"Data sets", {}};
  const auto add = [&](const char* what, const char* says, const std::string& arguments, int code = 1) {
    section.cases.push_back({what, says, "cavs " + arguments, code,
                             [=, &place] { return place.run(arguments + " --hidden 4 --epochs 1"); }});
  };
  const auto file = [&](const char* what, const char* says, const std::string& kind, const std::string& name,
                        const std::string& bytes, const std::string& shown) {
    section.cases.push_back({what, says, shown, 1, [=, &place] {
                               place.write(name, bytes);
                               return place.run("train tree-lstm --hidden 4 --epochs 1 --data " + kind + ":" + name);
                             }});
  };
  add("unknown kind", "data 'listop': unknown kind 'listop'; did you mean 'listops'? known: <...>",
      "train tree-lstm --data listop");
  add("unknown key", "data 'listops:lenght=9': unknown option 'lenght'; did you mean 'length'? known: <...>",
      "train tree-lstm --data listops:lenght=9");
  add("value is no number", "data 'listops:length=long': length is 'long'; expected an integer 4 to 536870911",
      "train tree-lstm --data listops:length=long");
  add("value out of range", "data 'binary-trees:leaves=0': leaves is '0'; expected an integer 1 to 268435456",
      "train tree-lstm --data binary-trees:leaves=0");
  add("no folder",
      "data 'sst:missing': neither missing/train.txt nor missing/train.txt.gz is there; expected a folder with "
      "train.txt and dev.txt",
      "train tree-lstm --data sst:missing");
  add("no file",
      "missing.txt: cannot open the file: No such file or directory; expected a text file or a gzip of one; check its "
      "name and directory",
      "train tree-lstm --data trees:missing.txt");
  add("a file in no folder",
      "missing/a.txt: cannot open the file: No such file or directory; expected a text file or a gzip of one; there is "
      "no directory 'missing': check the path",
      "train tree-lstm --data trees:missing/a.txt");
  section.cases.push_back({"a slip in a file's name",
                           "tress.txt: cannot open the file: No such file or directory; expected a text file or a gzip "
                           "of one; did you mean 'trees.txt'?",
                           "cavs train tree-lstm --data trees:tress.txt", 1, [&place] {
                             place.write("trees.txt", "(1 (0 a) (1 b))\n");
                             return place.run("train tree-lstm --data trees:tress.txt");
                           }});
  add("a folder as file", ".: expected a file; found a directory; give a file in it", "train tree-lstm --data trees:.");
  add("too many children for the model",
      "vertex 0 of sample 0 has 5 children, vertex function 'inner' gathers 2; use children() for any number of them",
      "train tree-lstm-binary --data listops:train=9");
  file("empty file", "empty.txt:1: no tree; expected one such as '(3 (2 It) (4 works))', found the end of the text",
       "trees", "empty.txt", "", "");
  file("unclosed bracket",
       "open.txt:2: the tree that begins here is not closed; expected ')', found the end of the text", "trees",
       "open.txt", "(1 (0 a) (1 b))\n(1 (0 a) (1 b)\n", "(1 (0 a) (1 b)");
  file("bracket that was never opened", "close.txt:1: one ')' too many; expected '(' or the end of the text, found ')'",
       "trees", "close.txt", "(1 (0 a) (1 b)))\n", "(1 (0 a) (1 b)))");
  file("invalid UTF-8", "latin.txt:1: expected UTF-8, found the byte 0xE9; convert the file (iconv -t UTF-8)", "trees",
       "latin.txt", "(1 (0 caf\xE9) (1 b))\n", "(1 (0 caf\\xE9) (1 b))");
  file("gzip cut off", "cut.txt.gz: the gzip data ends early, after 0 bytes of text; the file is cut off", "trees",
       "cut.txt.gz", std::string("\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\x03K", 11), "\\x1F\\x8B\\x08...");
  file("no labels at all", "data 'trees:plain.txt' have no labels to learn; expected at least one vertex with a label",
       "trees", "plain.txt", "((a) (b))\n", "((a) (b))");
  section.cases.push_back({"label that is none of the classes",
                           "folder/train.txt:1: label out of range; expected 0 to 4, or -1 for none, found 7",
                           "(7 (0 a) (1 b)) in sst:folder", 1, [&place] {
                             place.write("folder/train.txt", "(7 (0 a) (1 b))\n");
                             place.write("folder/dev.txt", "(1 (0 a) (1 b))\n");
                             return place.run("train tree-lstm --data sst:folder");
                           }});
  const auto prose = [&](const char* what, const char* says, const std::string& name, const std::string& bytes,
                         const std::string& shown, const std::string& options = "") {
    section.cases.push_back({what, says, shown, 1, [=, &place] {
                               place.write(name, bytes);
                               return place.run("train var-lstm --hidden 4 --epochs 1 --data text:" + name + options);
                             }});
  };
  add("no text",
      "missing.txt: cannot open the file: No such file or directory; expected a text file or a gzip of one; check its "
      "name and directory",
      "train var-lstm --data text:missing.txt");
  add("chains of no words", "data 'text:missing.txt,steps=0': steps is '0'; expected an integer 1 to 50000000",
      "train fixed-lstm --data text:missing.txt,steps=0");
  add("a vocabulary of <unk> alone", "--vocabulary: expected an integer from 2 to 2147483647, found '1'",
      "train var-lstm --vocabulary 1", 2);
  add("unknown option behind a file",
      "data 'text:a.txt,step=64': unknown option 'step'; did you mean 'steps'? known: steps, vocabulary",
      "train var-lstm --data text:a.txt,step=64");
  prose("text without words",
        "blank.txt:3: no word; expected a sentence or paragraph a line, found the end of the text", "blank.txt",
        "\n  \n", " ");
  prose("text that is not UTF-8",
        "latin1.txt:2: expected UTF-8, found the byte 0xE9; convert the file (iconv -t UTF-8)", "latin1.txt",
        "a\ncaf\xE9\n", "caf\\xE9");
  prose("chains that are longer than the text",
        "short.txt: the text has 4 words, an <eos> a line among them: no chain of steps=64; take fewer steps",
        "short.txt", "a b c\n", "a b c", ",steps=64");
  const auto tagged = [&](const char* what, const char* says, const std::string& name, const std::string& bytes) {
    section.cases.push_back({what, says, bytes, 1, [=, &place] {
                               place.write(name, bytes);
                               return place.run("train bilstm-tagger --hidden 4 --epochs 1 --data conll:" + name);
                             }});
  };
  tagged("token without a tag", "untagged.txt:2: expected a token and its tag, found 'sleeps' alone", "untagged.txt",
         "John I-PER\nsleeps");
  tagged("tag that is none", "odd.txt:1: expected a tag O, B-X, I-X, E-X or S-X in the last column, found 'PER'",
         "odd.txt", "John PER");
  tagged("no sentence", "none.txt:2: no sentence; expected a token and its tag a line, found the end of the text",
         "none.txt", "-DOCSTART- O");
  add("graphs that a model cannot make its own of",
      "the model makes its graphs (tree-with-outputs) of vertices of types leaf, inner with word, label; the data have "
      "vertices of types token with word, label; expected data that fit, or graphs of types leaf, inner, output with "
      "word, label",
      "train tree-gru --data tags:train=9");
  add("graphs without the vertices of a network",
      "vertex function 'forward1' runs over vertices of type 'token', the data have none; known: inner, leaf",
      "train bilstm-tagger --data listops:train=9");
  add("no lattices in a folder",
      "data 'weibo:.': neither ./weiboNER_2nd_conll.train nor ./weiboNER_2nd_conll.train.gz is there; expected a "
      "folder with weiboNER_2nd_conll.train, weiboNER_2nd_conll.dev and lexicon.txt",
      "train lattice-lstm --data weibo:.");
  add("unknown way to write tags", "data 'conll:odd.txt,tags=bio': tags is 'bio'; known: iob1, iob2, iobes",
      "train bilstm-tagger --data conll:odd.txt,tags=bio");
  const std::string root = "1\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n", second = "2" + root.substr(1);
  file("spaces for tabs", "a.conllu:1: expected 10 columns between tabs, found 1 in '1 go _ VERB _ _ 0 root _ _'",
       "conllu", "a.conllu", "1 go _ VERB _ _ 0 root _ _\n", "1 go _ VERB _ _ 0 root _ _");
  file("tree with two roots", "a.conllu:1: words 1 and 2 are both roots (head 0); expected one root", "conllu",
       "a.conllu", root + second, "two words with head 0");
  add("no pairs in a folder",
      "data 'sick:.': neither ./train/a.toks nor ./train/a.toks.gz is there; expected a folder with train/ and dev/, "
      "each with a.toks, a.parents and sim.txt",
      "train tree-lstm-relatedness --data sick:.");
  add("stream of a generator",
      "data 'markov': samples of this kind cannot be streamed; expected text, a line a sample (text:FILE)",
      "train gru --data markov --stream 100");
  prose("stream into buckets", "buckets is 10 with a stream; expected 0: only data in memory are put into buckets",
        "short.txt", "a b c\n", "a b c", " --stream 100 --bucket 10");
  add("one file of two",
      "data 'parallel': found 'a.en'; expected two files, SOURCE+TARGET, whose lines are translations",
      "train lstm-nmt --data parallel:a.en");
  add("names with plus signs, of files that are not there",
      "data 'parallel': found 'c++/a.en+c++/a.de'; expected SOURCE+TARGET, two files that are there, at one of its 5 "
      "'+'; check their names",
      "train lstm-nmt --data parallel:c++/a.en+c++/a.de");
  section.cases.push_back(
      {"line without a translation",
       "two.en:2: no translation, line 2 of one.de is blank or missing; expected a line for each line",
       "two lines, and one", 1, [&place] {
         place.write("two.en", "a\nb\n"), place.write("one.de", "c\n");
         return place.run("train lstm-nmt --data parallel:two.en+one.de");
       }});
  const auto line = [&](const char* what, const char* says, const std::string& text) {
    file(what, says, "jsonl", "a.jsonl", text + "\n", text);
  };
  line("no JSON", "a.jsonl:1: column 18: not valid JSON; expected one object, found the end of the line",
       R"({"children": [[],)");
  line("cycle", "a.jsonl:1: vertex 0 is its own ancestor (0 -> 1 -> 0); input graphs must be acyclic",
       R"({"children":[[1],[0]],"label":[0,1]})");
  line("child that does not exist",
       "a.jsonl:1: child 0 of vertex 1 is 7; expected a vertex 0 to 1, or -1 where it is absent",
       R"({"children":[[],[7]],"label":[0,1]})");
  line("key twice", "a.jsonl:1: key 'children' stands twice", R"({"children":[[]],"children":[[]]})");
  line("unknown key", "a.jsonl:1: unknown key 'labels'; did you mean 'label'? known: <...>",
       R"({"children":[[]],"labels":[1]})");
  line("array of another length", "a.jsonl:1: 'label' has 1 entries; expected 2, one a vertex",
       R"({"children":[[],[0]],"label":[1]})");
  line("port that the model needs is missing",
       "[pull_index] vertex function 'tree_lstm' pulls 'word', the graphs have no such integers; known: label",
       R"({"children":[[],[0]],"label":[0,1]})");
  file("port misspelt in the second line", "a.jsonl:2: unknown port 'wrod'; did you mean 'word'? known: label, word",
       "jsonl", "a.jsonl", "{\"children\":[[]],\"pull\":{\"word\":[1]}}\n{\"children\":[[]],\"pull\":{\"wrod\":[1]}}\n",
       R"("pull":{"word":[1]}, then "pull":{"wrod":[1]})");
  line("port of edges that is no list of lists",
       "a.jsonl:1: in edge port 'order' expected an array for each vertex, with one entry a child; found 1",
       R"({"children":[[],[0]],"edges":{"order":[1,2]}})");
  line("port of edges without an array for a vertex",
       "a.jsonl:1: edge port 'order' has 1 arrays; expected 2, one a vertex",
       R"({"children":[[],[0]],"edges":{"order":[[]]}})");
  line("edge without an entry", "a.jsonl:1: edge port 'order' has 1 entries at vertex 1; expected 2, one a child",
       R"({"children":[[],[0,0]],"edges":{"order":[[],[1]]}})");
  line("entry without an edge", "a.jsonl:1: edge port 'order' has 1 entries at vertex 0; expected 0, one a child",
       R"({"children":[[],[0]],"edges":{"order":[[2],[1]]}})");
  line("entry of an absent child",
       "a.jsonl:1: edge port 'order' has an entry at child 0 of vertex 1, which is absent; expected null",
       R"({"children":[[],[-1,0]],"edges":{"order":[[],[3,1]]}})");
  line("rows of edges of several lengths",
       "a.jsonl:1: port 'bond' has 1 numbers at child 1 of vertex 1; expected 2 as in its other rows",
       R"({"children":[[],[0,0]],"edges":{"bond":[[],[[1,2],[3]]]}})");
  line("names and numbers of edges",
       "a.jsonl:1: 'order' has numbers and names; expected one or the other, found 1 at child 1 of vertex 1",
       R"({"children":[[],[0,0]],"edges":{"order":[[],["double",1]]}})");
  line("fraction as an index of an edge",
       "a.jsonl:1: in edge port 'order' expected integers from 0, names or arrays of numbers, or null where one is "
       "absent, one a child of the vertex; found 0.5",
       R"({"children":[[],[0]],"edges":{"order":[[],[0.5]]}})");
  line("one port of vertices and of edges",
       "a.jsonl:1: 'pull' and 'edges' both have a port 'size'; expected different names",
       R"({"children":[[]],"pull":{"size":[1]},"edges":{"size":[[]]}})");
  line("label among the ports of edges",
       "a.jsonl:1: 'label' stands in edges, but is the label of vertices; expected another name, such as 'relation'",
       R"({"children":[[],[0]],"edges":{"label":[[],[1]]}})");
  file("port of edges missing in the second line", "a.jsonl:2: edges has no port 'order'; expected it in every line",
       "jsonl", "a.jsonl", "{\"children\":[[],[0]],\"edges\":{\"order\":[[],[1]]}}\n{\"children\":[[]]}\n",
       R"("edges":{"order":[[],[1]]}, then none)");
  line("port of edges without any entry",
       "a.jsonl:1: edge port 'order' has no entry in any line; expected at least one",
       R"({"children":[[]],"edges":{"order":[[]]}})");
  return section;
}

Section bad_samples(const Workplace& place) {
  Section section{"Samples for prediction", {}};
  const auto add = [&](const char* what, const char* says, const std::string& text) {
    section.cases.push_back({what, says, text, 1, [=, &place] {
                               train_once(place);
                               return place.run("predict a.cavs", text + "\n");
                             }});
  };
  add("neither tree, expression nor JSON",
      "stdin:1: expected a tree in brackets, or a ListOps expression, or CoNLL-U, or a JSON line; for example '((It) "
      "((works) (.)))', found 'MAX 1 2'",
      "MAX 1 2");
  add("unclosed expression",
      "stdin:1: the expression that begins here is not closed; expected ']', found the end of the text",
      "[MAX 1 [MIN 2 3 ]");
  add("unknown operator",
      "stdin:1: expected an operator after '[', found 'MAXX'; did you mean 'MAX'? known: MAX, MED, MIN, SM, SUM_MOD",
      "[MAXX 1 2 ]");
  add("operator without arguments", "stdin:1: MAX has no argument; expected a digit or '[', found ']'", "[MAX ]");
  add("label that the model does not know", "stdin:1: label out of range; expected 0 to 9, or -1 for none, found 12",
      "(12 (1 a) (2 b))");
  add("word that the table does not have",
      "stdin:1: [lookup] 'word' of vertex 0 of sample 0 is 99, expected -1 (absent) to 14, in vertex function "
      "'tree_lstm'; expected a tree in brackets, or a ListOps expression, or CoNLL-U, or a JSON line; for example "
      "'((It) ((works) (.)))'",
      R"({"types":["leaf"],"children":[[]],"pull":{"word":[99]}})");
  add("type that the model does not know",
      "stdin:1: vertex 0 has the unknown type 'lef'; did you mean 'leaf'? known: inner, leaf",
      R"({"types":["lef"],"children":[[]],"pull":{"word":[1]}})");
  section.cases.push_back({"prompt for a model that was not trained on text",
                           "--words, --temperature and --seed are for models that were trained on text; a.cavs was not",
                           "cavs predict a.cavs --words 5", 1, [&place] {
                             train_once(place);
                             return place.run("predict a.cavs --words 5", "to be or\n");
                           }});
  // Answers of a small model, which is trained when it is asked first.
  const auto model_of = [&](const std::string& file, const std::string& training) {
    return [&, file, training](const char* what, const char* says, const std::string& shown, const std::string& options,
                               const std::string& text) {
      section.cases.push_back({what, says, shown, 1, [=, &place] {
                                 if (place.read(file).empty())
                                   place.run("train " + training + ":train=4,test=0,vocabulary=9 --hidden 4 " +
                                             "--embedding 4 --epochs 1 --save " + file);
                                 return place.run("predict " + file + options, text);
                               }});
    };
  };
  const auto prompt = model_of("lm.cavs", "var-lstm --data markov");
  prompt("drawing a continuation",
         "--format tree shows samples with classes; lm.cavs was trained on text and continues prompts; expected jsonl "
         "or tsv",
         "cavs predict lm.cavs --tree", " --tree", "w2\n");
  prompt("prompt that is not UTF-8", "stdin:2: expected UTF-8, found the byte 0xE9; convert the file (iconv -t UTF-8)",
         "caf\\xE9", "", "w2\ncaf\xE9\n");
  prompt("a beam for a model that does not translate",
         "--beam, --n-best, --length-penalty and --max-length are for models that translate; lm.cavs was not trained "
         "on pairs of sentences",
         "cavs predict lm.cavs --beam 5", " --beam 5", "w2\n");
  const auto sentence = model_of("nmt.cavs", "lstm-nmt --data translations");
  sentence("sentence that is not UTF-8",
           "stdin:2: expected UTF-8, found the byte 0xE9; convert the file (iconv -t UTF-8)", "caf\\xE9", "",
           "w7\ncaf\xE9\n");
  sentence("more translations than the beam holds",
           "--n-best 3 of a --beam of 2; expected no more translations than hypotheses that are followed",
           "cavs predict nmt.cavs --beam 2 --n-best 3", " --beam 2 --n-best 3", "w7\n");
  sentence(
      "drawing a translation",
      "--format tree shows samples with classes; nmt.cavs was trained on text and translates; expected jsonl or tsv",
      "cavs predict nmt.cavs --tree", " --tree", "w7\n");
  sentence("pairs that are none",
           "vertex function 'encoder' runs over vertices of type 'encoder', the data have none; known: inner, leaf",
           "cavs predict nmt.cavs --data binary-trees:leaves=2", " --data binary-trees:leaves=2", "");
  sentence(
      "tags of a translation",
      "--input, --spans and --lexicon are for models that find classes; nmt.cavs was trained on text and translates",
      "cavs predict nmt.cavs --spans", " --spans", "w7\n");
  return section;
}

}  // namespace cavs::testing

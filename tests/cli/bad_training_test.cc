// What people set when they train, among the bad inputs of docs/bad-input.md.
#include <cmath>
#include <cstring>

#include "bad_input.h"
#include "cavs/best_epoch.h"
#include "cavs/checkpoint.h"
#include "cavs/error.h"
#include "cavs/losses.h"
#include "cavs/optimizer.h"
#include "cavs/vectors.h"

namespace cavs::testing {
namespace {

constexpr const char* kTrees = "train tree-lstm --data listops:train=20,test=4,length=9 --hidden 4 --epochs 1 ";
constexpr const char* kNoDev = "train tree-lstm --data listops:train=20,test=0,length=9 --hidden 4 --epochs 1 ";

std::string floats(const std::vector<float>& numbers) {
  std::string text(numbers.size() * sizeof(float), '\0');
  std::memcpy(text.data(), numbers.data(), text.size());
  return text;
}

void add_comparisons(Section& section, const Workplace& place) {
  const auto add = [&](const char* what, const std::string& options, int code, const char* start = kTrees) {
    section.cases.push_back(
        {what, "cavs train tree-lstm ... " + options, code, [=, &place] { return place.run(start + options); }});
  };
  add("a metric that the model does not have", "--metric entity_f1", 1);
  add("a slip in a metric's name", "--metric acuracy", 1);
  add("a metric that has no name", "--metric ''", 2);
  add("a metric without development data", "--metric accuracy", 1, kNoDev);
  add("no patience", "--patience 0", 2);
  add("patience without development data", "--patience 3", 1, kNoDev);
  add("the best epoch without development data", "--save-best best.cavs", 1, kNoDev);
  add("a check of scripts that there are none of", "--check-script", 2);
  add("a plateau without development data", "--decay plateau", 1, kNoDev);
  add("a plateau of no epochs", "--decay plateau --decay-patience 0", 2);
  add("the latest and the best epoch in one file", "--save q.cavs --save-best ./q.cavs", 1);
  section.cases.push_back(
      {"a best epoch that is there already", "cavs train tree-lstm ... --save-best t.txt", 1, [&place] {
         place.write("t.txt", "mine\n");
         return place.run(std::string(kTrees) + "--save-best t.txt");
       }});
  section.cases.push_back({"resumed with the best epoch of another training",
                           "cavs train tree-lstm ... --resume one.cavs --save-best two.cavs", 1, [&place] {
                             place.run(std::string(kTrees) + "--save one.cavs");
                             place.run(std::string(kTrees) + "--seed 7 --save two.cavs");
                             return place.run(std::string(kTrees) + "--resume one.cavs --save-best two.cavs");
                           }});
  section.cases.push_back({"resumed with a history that is none",
                           "cavs train tree-lstm ... --resume one.cavs --history t.txt", 1, [&place] {
                             place.write("t.txt", "mine\n");
                             return place.run(std::string(kTrees) + "--resume one.cavs --history t.txt");
                           }});
}

void add_rates(Section& section, const Workplace& place) {
  const auto add = [&](const char* what, const std::string& options, int code) {
    section.cases.push_back(
        {what, "cavs train tree-lstm ... " + options, code, [=, &place] { return place.run(kTrees + options); }});
  };
  add("a rate of parameters that there are not", "--lr 'Embedding=0.1x'", 1);
  add("a rate that is none", "--lr 'embedding=fast'", 2);
  add("a rate below 0", "--lr 'embedding=-1'", 2);
  add("freezing parameters that there are not", "--freeze 'E*'", 1);
  add("freezing everything", "--freeze '*'", 1);
  add("freezing nothing", "--freeze ''", 2);
  add("resumed with another part frozen", "--freeze embedding --resume one.cavs", 1);
  add("no minibatch a step", "--accumulate 0", 2);
  add("an average that never moves", "--ema 1", 2);
  add("resumed with averages", "--ema 0.9 --resume one.cavs", 1);
}

void add_class_losses(Section& section, const Workplace& place) {
  const auto add = [&](const char* what, const std::string& options, int code) {
    section.cases.push_back(
        {what, "cavs train tree-lstm ... " + options, code, [=, &place] { return place.run(kTrees + options); }});
  };
  add("class weights that are none", "--class-weights 1,2,3", 2);
  add("a weight below 0", "--class-weights 3=-1", 2);
  add("a weight of no class", "--class-weights 10=2", 1);
  add("two weights of one class", "--class-weights 3=2,3=1", 1);
  add("weights that are all 0", "--class-weights 0=0,1=0,2=0,3=0,4=0,5=0,6=0,7=0,8=0,9=0", 1);
  add("more than all smoothed", "--label-smoothing 1.5", 2);
  section.cases.push_back(
      {"class weights for another loss", "cavs train bilstm-crf ... --class-weights balanced", 1, [&place] {
         return place.run(
             "train bilstm-crf --data tags:train=9 --hidden 4 --epochs 1 "
             "--class-weights balanced");
       }});
}

void add_vectors(Section& section, const Workplace& place) {
  const auto add = [&](const char* what, const std::string& shown, const std::string& bytes,
                       const std::string& options = "") {
    section.cases.push_back({what, shown, 1, [=, &place] {
                               place.write("v.txt", bytes);
                               return place.run(kTrees + std::string("--vectors v.txt") + options);
                             }});
  };
  add("no vectors", "", "");
  add("vectors of other words", "cat 1 2", "cat 1 2\n");
  add("a vector that is too short", "MAX 1 2, then 3 1", "MAX 1 2\n3 1\n");
  add("a number that is none", "MAX 1 2, then 3 1 x", "MAX 1 2\n3 1 x\n");
  add("a number that is not finite", "MAX 1 inf", "MAX 1 inf\n");
  add("a word twice", "MAX 1, then MAX 2", "MAX 1\nMAX 2\n");
  add("fewer words than announced", "9 2, then MAX 1 2", "9 2\nMAX 1 2\n");
  add("an absurd width", "1 1000000000, then MAX 1", "1 1000000000\nMAX 1\n");
  add("binary vectors that are cut off", "word2vec's binary form, without its last byte",
      "2 2\nMAX " + floats({1, 2}) + "\nMIN " + floats({3, 4}).substr(0, 7));
  add("vectors that are no text", "\\xFF\\xFE 1 2, then \\xFF 1", "\xFF\xFE 1 2\n\xFF 1\n");
  add("a model of fastText", "\\xBA\\x16\\x4F\\x2F...", std::string("\xBA\x16\x4F\x2F\x0C\0\0\0", 8));
  add("vectors of another width than --embedding", "MAX 1 2, with --embedding 4", "MAX 1 2\n", " --embedding 4");
  section.cases.push_back({"vectors that are not there", "cavs train tree-lstm ... --vectors glove.840B.300d.txt", 1,
                           [&place] { return place.run(std::string(kTrees) + "--vectors glove.840B.300d.txt"); }});
}

template <typename Call>
void add_call(Section& section, const char* what, const char* shown, Call call) {
  section.cases.push_back({what, shown, kUserError, [call] {
                             try {
                               call();
                             } catch (const UserError& error) {
                               return Outcome{kUserError, error.what()};
                             }
                             return Outcome{};
                           }});
}

void add_calls(Section& section) {
  add_call(section, "a factor of the rate that is none", "optimizer.set_rate_factor(NAN)", [] {
    Parameters parameters({{"W", {1}, false, {}}}, 1);
    Optimizer(OptimizerOptions{}, parameters).set_rate_factor(NAN);
  });
  add_call(section, "a plateau of no epochs", "ends_plateau(history, true, 0)",
           [] { ends_plateau(std::vector<double>{1}, true, 0); });
  add_call(section, "class weights for other classes", "{.class_weights = {1, 2}} for 3 logits", [] {
    Model model;
    model.vertex_function("f", [&](Vertex& v) {
      v.loss(softmax_cross_entropy(v.pull("x", 3), v.pull_index("label"), {.class_weights = {1, 2}}));
    });
  });
}

}  // namespace

Section bad_training(const Workplace& place) {
  Section section{"Training", {}};
  add_comparisons(section, place);
  add_rates(section, place);
  add_class_losses(section, place);
  add_vectors(section, place);
  add_calls(section);
  return section;
}

}  // namespace cavs::testing

// Mistakes in training options, run by bad_input_test.cc.
#include <cmath>

#include "bad_input.h"
#include "cavs/checkpoint.h"
#include "cavs/error.h"
#include "cavs/evaluator.h"
#include "cavs/layers.h"
#include "cavs/optimizer.h"

namespace cavs::testing {
namespace {

constexpr const char* kTrees = "train tree-lstm --data listops:train=20,test=4,length=9 --hidden 4 --epochs 1 ";
constexpr const char* kNoDev =
    "a named metric, early stopping, keeping the best epoch and reducing the learning rate on a plateau need "
    "development data, but there are none; give a development part";
constexpr const char* kWithoutDev = "train tree-lstm --data listops:train=20,test=0,length=9 --hidden 4 --epochs 1 ";

/// Returns a function that adds trainings with more options.
auto adder(Section& section, const Workplace& place) {
  return [&](const char* what, const char* says, const std::string& options, int code, const char* start = kTrees) {
    section.cases.push_back(
        {what, says, "cavs train tree-lstm ... " + options, code, [=, &place] { return place.run(start + options); }});
  };
}

void add_comparisons(Section& section, const Workplace& place) {
  const auto add = adder(section, place);
  add("a metric that the model does not have",
      "epochs cannot be compared by 'entity_f1', which is not computed for this model; known: accuracy, loss, "
      "root_accuracy",
      "--metric entity_f1", 1);
  add("a slip in a metric's name",
      "epochs cannot be compared by 'acuracy', which is not computed for this model; did you mean 'accuracy'? known: "
      "accuracy, loss, root_accuracy",
      "--metric acuracy", 1);
  add("a metric that has no name", "--metric: expected a metric such as accuracy, found ''", "--metric ''", 2);
  add("a metric without development data", kNoDev, "--metric accuracy", 1, kWithoutDev);
  add("no patience", "--patience: expected an integer from 1 to 2147483647, found '0'", "--patience 0", 2);
  add("patience without development data", kNoDev, "--patience 3", 1, kWithoutDev);
  add("the best epoch without development data", kNoDev, "--save-best best.cavs", 1, kWithoutDev);
  add("a check of scripts that there are none of",
      "--check-script checks scripts of --device cuda, found device cpu; add --device cuda, or "
      "leave --check-script out",
      "--check-script", 2);
  add("a plateau without development data", kNoDev, "--decay plateau", 1, kWithoutDev);
  add("a plateau of no epochs", "--decay-patience: expected an integer from 1 to 2147483647, found '0'",
      "--decay plateau --decay-patience 0", 2);
  add("the latest and the best epoch in one file",
      "--save q.cavs and --save-best ./q.cavs would overwrite each other; give each a name of its own",
      "--save q.cavs --save-best ./q.cavs", 1);
  section.cases.push_back({"a best epoch that is there already",
                           "--save-best t.txt: the file already exists; give another name, --resume t.txt to continue "
                           "its training, or --overwrite to replace it",
                           "cavs train tree-lstm ... --save-best t.txt", 1, [&place] {
                             place.write("t.txt", "mine\n");
                             return place.run(std::string(kTrees) + "--save-best t.txt");
                           }});
  section.cases.push_back({"resumed with the best epoch of another training",
                           "--save-best two.cavs: the file already exists, and it is a checkpoint of another training "
                           "than the resumed one; give another name, or --overwrite to replace it",
                           "cavs train tree-lstm ... --resume one.cavs --save-best two.cavs", 1, [&place] {
                             place.run(std::string(kTrees) + "--save one.cavs");
                             place.run(std::string(kTrees) + "--seed 7 --save two.cavs");
                             return place.run(std::string(kTrees) + "--resume one.cavs --save-best two.cavs");
                           }});
  section.cases.push_back({"resumed with a history that is none",
                           "--history t.txt: the file already exists, and does not record the epochs of the resumed "
                           "training; give another name, or --overwrite to replace it",
                           "cavs train tree-lstm ... --resume one.cavs --history t.txt", 1, [&place] {
                             place.write("t.txt", "mine\n");
                             return place.run(std::string(kTrees) + "--resume one.cavs --history t.txt");
                           }});
}

void add_rates(Section& section, const Workplace& place) {
  const auto add = adder(section, place);
  add("a rate of parameters that there are not",
      "no parameter matches 'Embedding'; the model's parameters are embedding, W, U, b, Wf, Uf, bf, output_W, output_b",
      "--lr 'Embedding=0.1x'", 1);
  add("a rate that is none",
      "--lr: expected a number from 0, or PATTERN=RATE or PATTERN=FACTORx, found 'embedding=fast'",
      "--lr 'embedding=fast'", 2);
  add("a rate below 0", "--lr: expected a number from 0, or PATTERN=RATE or PATTERN=FACTORx, found 'embedding=-1'",
      "--lr 'embedding=-1'", 2);
  add("freezing parameters that there are not",
      "no parameter matches 'E*'; the model's parameters are embedding, W, U, b, Wf, Uf, bf, output_W, output_b",
      "--freeze 'E*'", 1);
  add("freezing everything",
      "all parameters are frozen (embedding, W, U, b, Wf, Uf, bf, output_W, output_b), so there is nothing to train; "
      "freeze fewer",
      "--freeze '*'", 1);
  add("freezing nothing", "--freeze: expected a pattern of parameter names of 1 to 1000 bytes, found 0", "--freeze ''",
      2);
  add("no minibatch a step", "--accumulate: expected an integer from 1 to 1000000, found '0'", "--accumulate 0", 2);
  add("an average that never moves", "--ema: expected a number from 0 to below 1, found '1'", "--ema 1", 2);
}

void add_class_losses(Section& section, const Workplace& place) {
  const auto add = adder(section, place);
  add("class weights that are none",
      "--class-weights: expected balanced, or CLASS=WEIGHT,... with weights from 0, found '1,2,3'",
      "--class-weights 1,2,3", 2);
  add("a weight below 0", "--class-weights: expected balanced, or CLASS=WEIGHT,... with weights from 0, found '3=-1'",
      "--class-weights 3=-1", 2);
  add("a weight of no class", "--class-weights: there is no class '10'; expected 0 to 9", "--class-weights 10=2", 1);
  add("two weights of one class", "--class-weights: class '3' has two weights; give it one", "--class-weights 3=2,3=1",
      1);
  add("weights that are all 0",
      "--class-weights: all 10 classes have weight 0, so there is nothing to learn; leave one out",
      "--class-weights 0=0,1=0,2=0,3=0,4=0,5=0,6=0,7=0,8=0,9=0", 1);
  add("more than all smoothed", "--label-smoothing: expected a number from 0 to 1, found '1.5'",
      "--label-smoothing 1.5", 2);
  section.cases.push_back({"class weights for another loss",
                           "--class-weights and --label-smoothing need a softmax over classes, but bilstm-crf has "
                           "another loss; leave them out",
                           "cavs train bilstm-crf ... --class-weights balanced", 1, [&place] {
                             return place.run(
                                 "train bilstm-crf --data tags:train=9 --hidden 4 --epochs 1 "
                                 "--class-weights balanced");
                           }});
}

void add_vectors(Section& section, const Workplace& place) {
  section.cases.push_back(
      {"vectors of another width than --embedding",
       "--vectors v.txt has 2 numbers per word, but --embedding is 4; leave --embedding out, or set it to 2",
       "MAX 1 2, with --embedding 4", 1, [&place] {
         place.write("v.txt", "MAX 1 2\n");
         return place.run(std::string(kTrees) + "--vectors v.txt --embedding 4");
       }});
  section.cases.push_back({"vectors that are an output",
                           "--save v.txt: this is the file that --vectors reads; give another name",
                           "cavs train tree-lstm ... --vectors v.txt --save v.txt --overwrite", 1, [&place] {
                             place.write("v.txt", "MAX 1 2\n");
                             return place.run(std::string(kTrees) + "--vectors v.txt --save v.txt --overwrite");
                           }});
}

template <typename Call>
void add_call(Section& section, const char* what, const char* says, const char* shown, Call call) {
  section.cases.push_back({what, says, shown, kUserError, [call] {
                             try {
                               call();
                             } catch (const UserError& error) {
                               return Outcome{kUserError, error.what()};
                             }
                             return Outcome{};
                           }});
}

void add_calls(Section& section) {
  add_call(section, "a factor of the rate that is none", "the factor of the learning rate is nan; expected 0 or more",
           "optimizer.set_rate_factor(NAN)", [] {
             Parameters parameters({{"W", {1}, false, {}}}, 1);
             Optimizer(OptimizerOptions{}, parameters).set_rate_factor(NAN);
           });
  add_call(section, "a plateau of no epochs", "patience is 0 epochs; expected at least 1",
           "ends_plateau(history, true, 0)", [] { ends_plateau(std::vector<double>{1}, true, 0); });
  add_call(section, "class weights for other classes",
           "[softmax_cross_entropy] 2 class weights for 3 classes; expected one per class, at most 1000",
           "{.class_weights = {1, 2}} for 3 logits", [] {
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

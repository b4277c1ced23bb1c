// Layouts of whole vertex functions. Every view that a layout reports is checked with addresses computed here.

#include "layout/layout.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "compile/program.h"
#include "helpers/graphs.h"
#include "helpers/models.h"
#include "helpers/paper_cells.h"
#include "ir/op.h"

namespace cavs {
namespace {

/// Address of every variable. Variables of one storage are contiguous, in the order of the layout.
std::vector<std::int64_t> addresses(const MemoryLayout& layout) {
  std::vector<std::int64_t> address(layout.variables.size()), next(layout.variables.size(), 0);
  for (std::int32_t v : layout.order) {
    const Variable& variable = layout.variables[v];
    address[v] = 1'000'000'000LL * variable.storage + next[variable.storage];
    next[variable.storage] += variable.width;
  }
  return address;
}

/// True for one strided view: element i begins at base + i / times * width, so `times` elements in a row are the same.
bool is_strided(const Elements& elements, const MemoryLayout& layout, const std::vector<std::int64_t>& address) {
  std::size_t times = 1;
  while (times < elements.size() && elements[times] == elements[0]) ++times;
  if (elements.size() % times != 0) return false;
  std::int64_t expected = address[elements[0][0]];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i % times != 0) {
      if (elements[i] != elements[i - 1]) return false;
      continue;
    }
    for (std::int32_t v : elements[i]) {
      if (address[v] != expected) return false;
      expected += layout.variables[v].width;
    }
  }
  return true;
}

void expect_views_are_views(const MemoryLayout& layout) {
  std::vector<std::int32_t> sorted = layout.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<std::int32_t>(i));
  ASSERT_EQ(sorted.size(), layout.variables.size());
  const std::vector<std::int64_t> address = addresses(layout);
  CopyCost copies;
  for (const NodeBatch& batch : layout.batches)
    for (const BatchOperand& operand : batch.operands) {
      EXPECT_EQ(operand.elements.size(), batch.nodes.size());
      EXPECT_TRUE(!operand.view || is_strided(operand.elements, layout, address));
      if (!operand.view) copies += operand.cost;
    }
  EXPECT_EQ(copies, layout.copies);
  EXPECT_LE(layout.copies.bytes(8), layout.declared.bytes(8));
  // The columns of one value are in ascending order.
  for (std::size_t v = 1; v < layout.variables.size(); ++v) {
    const Variable &left = layout.variables[v - 1], &right = layout.variables[v];
    const bool same = left.function == right.function && left.value == right.value;
    EXPECT_TRUE(!same || address[v - 1] + left.width == address[v]);
  }
}

/// Checks the nodes of batches: a batch has one operator, no node depends on another, and each node is in one batch.
void expect_batches_cover(const MemoryLayout& layout, const Function& f, std::int32_t function) {
  std::vector<int> batch_of(f.nodes.size(), -1);
  for (std::size_t b = 0; b < layout.batches.size(); ++b)
    for (ValueId id : layout.batches[b].nodes) {
      if (layout.batches[b].function != function || f.nodes[id].op->kind == OpKind::kConcat) continue;
      EXPECT_EQ(batch_of[id], -1);
      batch_of[id] = static_cast<int>(b);
      EXPECT_EQ(f.nodes[id].op, f.nodes[layout.batches[b].nodes[0]].op);
      EXPECT_EQ(f.nodes[id].shape, f.nodes[layout.batches[b].nodes[0]].shape);
    }
  for (ValueId id = 0; id < f.forward; ++id) EXPECT_EQ(batch_of[id] >= 0, is_batchable(f.nodes[id])) << id;
  std::vector<std::set<int>> above(f.nodes.size());  // batches that a value depends on
  for (ValueId id = 0; id < f.forward; ++id) {
    for (ValueId input : f.nodes[id].in) above[id].insert(above[input].begin(), above[input].end());
    EXPECT_FALSE(batch_of[id] >= 0 && above[id].contains(batch_of[id]));
    if (batch_of[id] >= 0) above[id].insert(batch_of[id]);
  }
}

/// ED-Batch, Table 2, counted as in the paper, which copies a value for each node that reads it, and counted as this
/// library runs it.
TEST(Layout, CopiesNoMoreThanThePaperForItsCells) {
  for (const PaperCell& cell : paper_cells(64)) {
    SCOPED_TRACE(cell.name);
    const MemoryLayout as_paper = cell.layout({.share = false, .rows = 8}),
                       merged = cell.layout({.share = true, .rows = 8});
    for (const MemoryLayout* layout : {&as_paper, &merged}) {
      expect_views_are_views(*layout);
      expect_batches_cover(*layout, cell.functions[0], 0);
      EXPECT_LE(layout->copies.kernels, cell.kernels);
      EXPECT_LE(static_cast<double>(layout->copies.bytes(8)) / 1024, cell.kilobytes);
      EXPECT_GT(layout->declared.kernels, layout->copies.kernels);
      EXPECT_EQ(layout->batching[0].batches, layout->batching[0].lower_bound);
      EXPECT_EQ(layout->copies.fixed_bytes > 0, cell.name == "TreeLSTM-Internal" && layout == &as_paper);
    }
    EXPECT_EQ(merged.copies, CopyCost{});
  }
}

/// The eight products of an LSTM's four gates are one batch. Its weights and results are adjacent, in one order.
TEST(Layout, PutsTheGatesOfAnLstmSideBySide) {
  const MemoryLayout layout = lstm_cell(16).layout();
  EXPECT_EQ(layout.copies, CopyCost{});
  EXPECT_EQ(layout.state_copies, CopyCost{});
  const auto products = std::max_element(layout.batches.begin(), layout.batches.end(),
                                         [](const auto& a, const auto& b) { return a.nodes.size() < b.nodes.size(); });
  EXPECT_EQ(products->nodes.size(), 8U);
  for (const BatchOperand& operand : products->operands) EXPECT_TRUE(operand.view);
}

TEST(Layout, IsValidForAllModelsOfTheZoo) {
  for (const ZooModel& zoo : all_models())
    for (const bool training : {false, true}) {
      SCOPED_TRACE(std::string(zoo.name));
      const auto program = compile(small_model(zoo.name), {.training = training});
      const MemoryLayout layout = find_layout(*program);
      expect_views_are_views(layout);
      for (std::size_t t = 0; t < program->types.size(); ++t)
        expect_batches_cover(layout, program->types[t].function, static_cast<std::int32_t>(t));
    }
}

/// A function of random nodes that read earlier values: products, sums, parts and concats of two widths.
Function random_function(Numbers& numbers) {
  Function f{.name = "random", .nodes = {}, .forward = 0};
  for (int i = 0; i < 3; ++i) append(f, OpId::kPull, {}, attr::Tensor{"x" + std::to_string(i), {4}});
  std::vector<ValueId> values{0, 1, 2};
  const auto any = [&] { return values[numbers.below(static_cast<std::int32_t>(values.size()))]; };
  const auto width = [&](ValueId id) { return static_cast<std::int32_t>(f.nodes[id].shape.size()); };
  for (int i = 5 + numbers.below(15); i > 0; --i) {
    const ValueId x = any(), y = any();
    switch (numbers.below(6)) {
      case 0:
        append(f, OpId::kParameter, {},
               attr::Tensor{"W" + std::to_string(numbers.below(4)) + "_" + std::to_string(width(x)), {width(x), 4}});
        values.push_back(append(f, OpId::kMatmul, {x, static_cast<ValueId>(f.nodes.size()) - 1}));
        break;
      case 1:
        values.push_back(append(f, OpId::kTanh, {x}));
        break;
      case 2:
        if (width(x) == 8) values.push_back(append(f, OpId::kPart, {x}, attr::Part{numbers.below(2), 2}));
        break;
      case 3:
        if (width(x) == 4 && width(y) == 4) values.push_back(append(f, OpId::kConcat, {x, y}));
        break;
      default:
        if (width(x) == width(y))
          values.push_back(append(f, numbers.below(2) == 0 ? OpId::kAdd : OpId::kMultiply, {x, y}));
    }
  }
  append(f, OpId::kScatter, {values.back()}, attr::Named{"s"});
  f.forward = static_cast<std::int32_t>(f.nodes.size());
  return f;
}

RC_GTEST_PROP(Layout, CallsAViewWhatIsOne, ()) {
  Numbers numbers(*rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()));
  const Function first = random_function(numbers), second = random_function(numbers);
  std::vector<std::string> parameters;
  for (int i = 0; i < 4; ++i)
    for (const char* width : {"_4", "_8"}) parameters.push_back("W" + std::to_string(i) + width);
  const std::vector<const Function*> functions{&first, &second};
  for (const bool share : {false, true}) {
    const MemoryLayout layout = find_layout(functions, {}, parameters, {.share = share});
    expect_views_are_views(layout);
    expect_batches_cover(layout, first, 0);
    expect_batches_cover(layout, second, 1);
    RC_ASSERT(!testing::Test::HasFailure());
  }
}

/// Two cells: one reads c and h of its children, the other passes them on. All types store c and h in one order.
TEST(Layout, TypesAgreeOnTheOrderOfStates) {
  const auto program = compile(small_model("tree-lstm-2type"), {.training = false});
  const MemoryLayout layout = find_layout(*program);
  ASSERT_GE(layout.states.size(), 5U);  // three types scatter, and two gather from two children
  const std::vector<std::int64_t> address = addresses(layout);
  for (const StateRecord& record : layout.states) {
    ASSERT_EQ(record.states, (std::vector<std::string>{"c", "h"}));
    if (!record.view) continue;
    const bool first = address[record.elements[0][0]] < address[record.elements[1][0]];
    const StateRecord& other =
        *std::find_if(layout.states.begin(), layout.states.end(), [](const auto& r) { return r.view; });
    EXPECT_EQ(first, address[other.elements[0][0]] < address[other.elements[1][0]]);
  }
}

TEST(Layout, CountsCopiesOfStatesThatCannotAgree) {
  // [A B] and [b a] are operands, so A a and B b cannot be adjacent too: one child must be gathered in pieces.
  const MemoryLayout layout = mv_cell(8).layout();
  EXPECT_EQ(layout.copies, CopyCost{});
  EXPECT_EQ(layout.state_copies, (CopyCost{1, 4 * (8 + 64), 0}));
}

/// Copies of one cell in a function form batches of that many nodes. Lemma 3.1 allows work cubic in this number, but a
/// tree whose constraints have few variables needs only linear work.
TEST(Layout, WorkIsLinearInTheCellsOfAFunction) {
  const auto work = [](int cells) {
    Model m;
    m.vertex_function("cells", [&](Vertex& v) {
      Gates gate(m, 8);
      for (int i = 0; i < cells; ++i) {
        const std::string n = std::to_string(i);
        auto x = v.pull("x" + n, 8), h = v.gather(0, "h" + n);
        v.scatter("h" + n, sigmoid(gate("a" + n, x, h)) * tanh(gate("b" + n, x, h)));
      }
    });
    return static_cast<double>(paper_cell("cells", m).layout({.share = false}).touched);
  };
  EXPECT_LT(work(32), 1.2 * 4 * work(8));
}

}  // namespace
}  // namespace cavs

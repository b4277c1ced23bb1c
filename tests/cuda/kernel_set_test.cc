// The choice of a session's kernel on a GPU, and errors if no kernel is usable.

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "cavs/decode.h"
#include "cavs/trainer.h"
#include "cuda/standin/stand_in.h"
#include "execute/cuda_persistent/kernel_choice.h"
#include "execute/cuda_persistent/persistent_engine.h"
#include "execute/session_access.h"
#include "helpers/models.h"
#include "helpers/trained.h"
#include "placement/placement.h"

namespace cavs::cuda {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

TEST(KernelChoices, ChooseTheFastest) {
  KernelChoice choice(3);
  std::vector<int> asked;
  for (int launch = 0; !choice.chosen(); ++launch) {
    const int kernel = choice.next();
    asked.push_back(kernel);
    const double flops = 1000.0 * (1 + launch % 7);  // minibatches differ
    const bool is_slow = launch == 4;                // another program slowed this launch down
    const bool decided = choice.add(kernel, flops * (kernel == 1 ? 1e-3 : 2e-3) + (is_slow ? 50 : 0), flops);
    EXPECT_EQ(decided, choice.chosen().has_value());
  }
  EXPECT_EQ(choice.chosen(), 1);
  EXPECT_EQ(choice.next(), 1);
  EXPECT_EQ(asked.size(), static_cast<std::size_t>(3 * KernelChoice::kLaunches));
  EXPECT_EQ((std::vector<int>(asked.begin(), asked.begin() + 7)), (std::vector<int>{0, 0, 1, 1, 2, 2, 0}));
}

TEST(KernelChoices, AreSettledWithOneKernel) {
  KernelChoice one(1), known(4);
  EXPECT_EQ(one.chosen(), 0);
  known.choose(2);
  EXPECT_EQ(known.next(), 2);
  EXPECT_FALSE(known.add(2, 1, 1));
}

class KernelSets : public StandInTest {
 protected:
  ~KernelSets() override { std::filesystem::remove_all(folder); }

  static TrainOptions options() {
    TrainOptions options;
    options.batch_size = 1;
    options.session = {.device = {DeviceKind::kCuda}, .engine = EngineKind::kPersistent};
    return options;
  }
  static std::string described(Trainer& trainer) {
    std::string text;
    for (const std::string& line : detail::SessionAccess::impl(trainer.session()).engine->describe())
      text += line + "\n";
    return text;
  }
  static int processors(Trainer& trainer) {
    return static_cast<PersistentEngine&>(*detail::SessionAccess::impl(trainer.session()).engine)
        .placement()
        .target.processors;
  }

  const ZooCase zoo = zoo_case("tree-lstm", 4, 0);
  const std::string folder = testing::TempDir() + "cavs-kernel-set-" + std::to_string(getpid());
  Variable cache{"CAVS_CUDA_CACHE", folder};
};

/// On the stand-in, the kernel with the most registers is the fastest, which is the kernel of one processor.
TEST_F(KernelSets, ChooseTheFastestKernelOnce) {
  TrainOptions all = options();
  all.batch_size = 4;
  Trainer trainer(zoo.model, zoo.graphs, all), same(zoo.model, zoo.graphs, all);
  EXPECT_THAT(described(trainer), AllOf(HasSubstr("a stand-in, sm_90: 3 processors\n"), HasSubstr("kernel of 3 blocks"),
                                        HasSubstr("kernel of 2 blocks"), HasSubstr("kernel of 1 block of"),
                                        HasSubstr("0 spilled"), HasSubstr("is chosen by the first minibatches")));
  for (int step = 0; step < 3 * KernelChoice::kLaunches; ++step) trainer.step();
  EXPECT_EQ(processors(trainer), 1);
  Trainer later(zoo.model, zoo.graphs, all);
  EXPECT_THAT(described(later),
              AllOf(HasSubstr("0 compiled, 3 from " + folder), HasSubstr("is the fastest, as measured before")));
  EXPECT_EQ(processors(later), 1);
  // The choice of a kernel changes no bit.
  for (int step = 0; step < 4; ++step) {
    same.step();
    later.step();
  }
  expect_same_parameters(later, same);
}

TEST_F(KernelSets, DiscardKernelsThatSpill) {
  const Variable like("CAVS_STANDIN", "processors=1 registers=60");
  Trainer trainer(zoo.model, zoo.graphs, options());
  EXPECT_THAT(described(trainer),
              AllOf(HasSubstr("0 bytes of stack, 0 spilled"), HasSubstr("discarded because of spills"),
                    ContainsRegex("[1-9][0-9.]* KiB of weights per block in shared memory"), Not(HasSubstr("chosen"))));
  const TrainStep few = trainer.step();
  const Variable many("CAVS_STANDIN", "processors=1");
  Trainer plain(zoo.model, zoo.graphs, options());
  EXPECT_EQ(few.loss, plain.step().loss);
  expect_same_parameters(trainer, plain);
}

/// Weights without registers are kept in as much shared memory as a block may have, without changing bits.
TEST_F(KernelSets, KeepWeightsInTheAvailableSharedMemory) {
  constexpr int kSteps = 3;
  const Variable off("CAVS_CUDA_CACHE", "off");
  const auto train = [&](const std::string& like, const testing::Matcher<std::string>& says) {
    const Variable gpu("CAVS_STANDIN", like);
    Trainer trainer(zoo.model, zoo.graphs, options());
    EXPECT_THAT(described(trainer), says) << like;
    std::vector<double> losses;
    for (int step = 0; step < kSteps; ++step) losses.push_back(trainer.step().loss);
    return losses;
  };
  const auto in_registers = train("processors=1", HasSubstr(" 0 bytes of weights per block in shared memory"));
  EXPECT_EQ(train("processors=1 registers=40", ContainsRegex(" 0 columns per warp in registers, [1-9][0-9.]* KiB")),
            in_registers);
  EXPECT_EQ(train("processors=1 registers=40 shared=23768", ContainsRegex(" 0 columns per warp in registers, [1-9]")),
            in_registers);
  EXPECT_EQ(
      train("processors=1 registers=40 shared=21468", HasSubstr(" 0 bytes of weights per block in shared memory")),
      in_registers);
}

TEST_F(KernelSets, ReportThatKernelsAreNotCached) {
  const Variable nowhere("CAVS_CUDA_CACHE", "/proc/cavs");
  Trainer trainer(zoo.model, zoo.graphs, options());
  EXPECT_THAT(described(trainer), AllOf(HasSubstr("they are not kept and will be compiled again: /proc/cavs"),
                                        HasSubstr("CAVS_CUDA_CACHE")));
  trainer.step();
}

struct Refused {
  const char *variable, *value;
  testing::Matcher<const std::string&> says;
};

/// The first error comes before any kernel is cached.
TEST_F(KernelSets, ReportWhyTheyCannotBeMade) {
  const Refused all[] = {
      {"CAVS_NVRTC", "/nowhere/libnvrtc.so", AllOf(HasSubstr("there is no NVRTC"), HasSubstr("or use device cpu"))},
      {"CAVS_STANDIN", "compute=75",
       AllOf(HasSubstr("has compute capability 7.5"), HasSubstr("needs 8.0 or later"), HasSubstr("or device cpu"))},
      {"CAVS_STANDIN", "compute=120",
       AllOf(HasSubstr("the GPU's architecture is sm_120, which NVRTC 99.1 does not support"),
             HasSubstr("it supports sm_80, sm_90"), HasSubstr("or device cpu"))},
      {"CAVS_STANDIN", "memory=5000", AllOf(HasSubstr("not enough GPU memory"), HasSubstr("are free"))},
  };
  for (const Refused& refused : all) {
    const Variable like(refused.variable, refused.value);
    EXPECT_THAT([&] { Trainer(zoo.model, zoo.graphs, options()); }, ThrowsMessage<UserError>(refused.says));
  }
}

TEST_F(KernelSets, ReportTheMemoryThatAMinibatchNeeds) {
  const Variable like("CAVS_STANDIN", "memory=60000");
  TrainOptions large = options();
  large.batch_size = 4;
  Trainer trainer(zoo.model, zoo.graphs, large);
  EXPECT_THAT([&] { trainer.step(); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("a minibatch of 4 samples"), HasSubstr("the limit is"),
                                             HasSubstr("try a smaller batch or hidden size"))));
}

TEST_F(KernelSets, ReportAFailedLaunch) {
  Trainer trainer(zoo.model, zoo.graphs, options());
  trainer.step();
  const Variable like("CAVS_STANDIN", "fail_launch=" + std::to_string(launches() + 1));
  EXPECT_THAT([&] { trainer.step(); }, ThrowsMessage<UserError>(AllOf(HasSubstr("a kernel was aborted"),
                                                                      HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"))));
  EXPECT_THAT([&] { trainer.parameters().values(0); }, ThrowsMessage<UserError>(HasSubstr("a kernel was aborted")));
}

TEST_F(KernelSets, RefuseUnsupportedPrograms) {
  TrainOptions reference = options();
  reference.session.engine = EngineKind::kReference;
  EXPECT_THAT(
      [&] { Trainer(zoo.model, zoo.graphs, reference); },
      ThrowsMessage<UserError>("device cuda has no engine reference; use engine batched or persistent, or device cpu"));
  {
    const Variable like("CAVS_STANDIN", "cooperative=0");
    EXPECT_THAT([&] { Trainer(zoo.model, zoo.graphs, options()); },
                ThrowsMessage<UserError>(HasSubstr("has compute capability 9.0 and no cooperative launch")));
  }
  const SessionOptions on_gpu = options().session;
  const auto parameters = zoo.model.make_parameters();
  EXPECT_THAT([&] { Session(compile(zoo.model, {.push_gradients = true}), parameters, on_gpu); },
              ThrowsMessage<UserError>(HasSubstr("takes gradients of its pushes")));
}

}  // namespace
}  // namespace cavs::cuda

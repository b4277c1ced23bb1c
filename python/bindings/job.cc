#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>

#include "keywords.h"
#include "support/check.h"
#include "training.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// A transport that is a Python object with attributes `rank` and `ranks`, and exchange(sends, receives).
class PyTransport final : public Transport {
 public:
  explicit PyTransport(nb::object carrier)
      : carrier_(std::move(carrier)),
        rank_(nb::cast<int>(carrier_.attr("rank"))),
        ranks_(nb::cast<int>(carrier_.attr("ranks"))) {}
  ~PyTransport() override {
    const nb::gil_scoped_acquire acquire;
    carrier_.reset();
  }
  PyTransport(const PyTransport&) = delete;
  PyTransport& operator=(const PyTransport&) = delete;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }

  void exchange(std::span<const Message> sends, std::span<const Message> receives) override {
    const nb::gil_scoped_acquire acquire;
    const nb::object lost = carrier_.attr("exchange")(messages(sends), messages(receives));
    if (lost.is_none()) return;
    std::pair<std::vector<int>, std::string> ranks_and_reason;
    if (!nb::try_cast(lost, ranks_and_reason))
      throw nb::type_error(
          "exchange of a transport must return None, or a list of ranks and the reason why they are lost");
    throw LostRank(std::move(ranks_and_reason.first), std::move(ranks_and_reason.second));
  }

 private:
  static nb::list messages(std::span<const Message> all) {
    nb::list list;
    for (const Message& m : all)
      list.append(nb::make_tuple(m.peer, nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(m.bytes.data()),
                                                                           std::ssize(m.bytes), PyBUF_WRITE))));
    return list;
  }

  nb::object carrier_;
  const int rank_, ranks_;
};

void init(Job* at, nb::object transport) {
  auto carrier = std::make_shared<PyTransport>(std::move(transport));
  const nb::gil_scoped_release release;
  new (at) Job(std::move(carrier));
}

}  // namespace

std::shared_ptr<Job> job_from(Keywords& keywords) {
  constexpr const char* kType = "a Job of cavs.distributed, or False to train alone";
  nb::object given = nb::none();
  keywords.take("job", kType, given);
  if (given.ptr() == Py_False) return nullptr;
  std::shared_ptr<Job> job;
  if (!given.is_none()) {
    if (!nb::try_cast(given, job)) keywords.refuse("job", kType, given);
    return job;
  }
  constexpr std::pair<const char*, const char*> kLaunchers[] = {{"OMPI_COMM_WORLD_SIZE", "mpi"}, {"PMI_SIZE", "mpi"}};
  const auto expect_one = [](const char* variable, const char* launcher, const char* way) {
    const char* const count = std::getenv(variable);
    user_check(count == nullptr || std::atoi(count) < 2,
               "{} has started {} processes ({}), but without `job` each would train alone; pass "
               "job=cavs.distributed.{}() in all of them, or job=False if they should train alone",
               launcher, count == nullptr ? "" : count, variable, way);
  };
  for (const auto& [variable, way] : kLaunchers) expect_one(variable, "mpirun", way);
  if (std::getenv("TORCHELASTIC_RUN_ID") != nullptr) expect_one("WORLD_SIZE", "torchrun", "torch");
  return nullptr;
}

void bind_job(nb::module_& m) {
  nb::class_<Job>(m, "Job",
                  "Processes (ranks) that train one model, for the option `job` of fit and Trainer; "
                  "cavs.distributed makes one.")
      .def("__init__", &init, "transport"_a, nb::sig("def __init__(self, transport: Any) -> None"),
           "transport: an object with `rank`, `ranks` and `exchange(sends, receives)`. The arguments are lists of "
           "(peer, memoryview). exchange returns None when all bytes have arrived, or (ranks, reason) if ranks are "
           "lost.")
      .def_prop_ro("rank", &Job::rank, "The rank of this process, from 0.")
      .def_prop_ro("ranks", &Job::ranks, "Number of ranks.")
      .def("__repr__",
           [](const Job& job) { return fmt::format("<cavs.Job: rank {} of {}>", job.rank(), job.ranks()); });
}

}  // namespace cavs::python

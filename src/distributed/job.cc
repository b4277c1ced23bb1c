#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string_view>

#include "cavs/distributed.h"
#include "support/available_memory.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::uint64_t kProtocol = 0x31'62'6F'6A'73'76'61'63;  // "cavsjob1"
constexpr std::uint64_t kFewBytes = 1 << 20;  // messages of at most so many bytes are assumed to fit into memory

/// The header that every rank sends to all others in meet().
struct Note {
  std::uint64_t protocol = kProtocol;
  std::array<char, 36> where{};  // name of the meeting place, cut off if too long
  std::uint32_t requests = 0;    // see Job::ask
  std::uint32_t failed = 0;      // 1 if the rank has failed; its bytes are then the error message
  std::uint32_t reserved = 0;
  std::uint64_t bytes = 0;  // number of bytes that the rank sends after this note
};
static_assert(sizeof(Note) == 64);

std::span<std::byte> bytes_of(auto& value) { return std::as_writable_bytes(std::span(&value, 1)); }

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

struct Job::Impl {
  explicit Impl(std::shared_ptr<Transport> t)
      : transport(std::move(t)), rank(transport->rank()), ranks(transport->ranks()), notes(ranks) {
    user_check(rank >= 0 && rank < ranks, "rank {} of {} ranks; expected 0 to {}", rank, ranks, ranks - 1);
  }

  std::string name(int r) const {
    return static_cast<std::size_t>(r) < hosts.size() ? fmt::format("rank {} (host {})", r, hosts[r])
                                                      : fmt::format("rank {}", r);
  }

  void exchange(std::vector<Message> sends, std::vector<Message> receives) {
    const auto is_empty = [](const Message& m) { return m.bytes.empty(); };
    std::erase_if(sends, is_empty);
    std::erase_if(receives, is_empty);
    try {
      if (!sends.empty() || !receives.empty()) transport->exchange(sends, receives);
    } catch (const LostRank& lost) {
      std::string names;
      for (const int r : lost.ranks()) names += (names.empty() ? "" : ", ") + name(r);
      loss = fmt::format("{} {} in {}", names, lost.reason(), where);
      throw NamedLoss(lost, loss);
    }
  }

  /// Exchanges notes, then the bytes whose sizes the notes announce.
  std::vector<std::vector<std::byte>> meet(std::span<const std::byte> bytes, bool has_failed) {
    if (!failure.empty()) throw FailedJob(failure);
    if (!loss.empty()) throw UserError(loss);
    Note mine;
    std::copy_n(where.data(), std::min(where.size(), mine.where.size()), mine.where.data());
    mine.requests = std::exchange(asking, 0);
    mine.failed = has_failed ? 1 : 0;
    mine.bytes = bytes.size();
    notes[rank] = mine;
    std::vector<Message> sends, receives;
    for (int r = 0; r < ranks; ++r)
      if (r != rank) {
        sends.push_back({r, bytes_of(mine)});
        receives.push_back({r, bytes_of(notes[r])});
      }
    exchange(std::move(sends), std::move(receives));
    const bool any_failed = check_notes();
    for (const Note& note : notes) asked |= note.requests;
    std::vector<std::vector<std::byte>> all(ranks);
    sends.clear();
    receives.clear();
    for (int r = 0; r < ranks; ++r) {
      if (any_failed && notes[r].failed == 0) continue;
      all[r].resize(notes[r].bytes);
      if (r != rank) receives.push_back({r, all[r]});
    }
    if (any_failed == has_failed) {
      all[rank].assign(bytes.begin(), bytes.end());
      for (int r = 0; r < ranks; ++r)
        if (r != rank) sends.push_back({r, all[rank]});
    }
    exchange(std::move(sends), std::move(receives));
    if (any_failed) {
      const auto first = std::ranges::find_if(notes, [](const Note& note) { return note.failed != 0; });
      const auto r = static_cast<int>(first - notes.begin());
      failure = fmt::format("{}: {}", name(r), text_of(all[r]));
      throw FailedJob(failure);
    }
    return all;
  }

  /// Checks the notes of all ranks. Returns true if a rank has failed. @throws FailedJob for a note that does not fit
  bool check_notes() {
    const auto fail_unless = [&](bool ok, auto text) {
      if (ok) return;
      failure = text();
      throw FailedJob(failure);
    };
    const bool any_failed = std::ranges::any_of(notes, [](const Note& note) { return note.failed != 0; });
    for (int r = 0; r < ranks; ++r) {
      const Note& note = notes[r];
      fail_unless(note.protocol == kProtocol, [&] {
        return fmt::format(
            "{} does not use the protocol of this version of cavs in {}; start the same version on all ranks", name(r),
            where);
      });
      fail_unless(any_failed || note.where == notes[0].where, [&] {
        const auto place = [](const Note& n) {
          return std::string(n.where.data(), strnlen(n.where.data(), n.where.size()));
        };
        return fmt::format(
            "{} is at {}, but rank 0 is at {}; start the same program with the same options on all ranks", name(r),
            place(note), place(notes[0]));
      });
      fail_unless(note.bytes <= kFewBytes || note.bytes <= static_cast<std::uint64_t>(available_memory()), [&] {
        return fmt::format("{} announces {} bytes in {}, which do not fit into memory", name(r), note.bytes, where);
      });
    }
    return any_failed;
  }

  /// A LostRank whose message also has the names of the lost ranks and the meeting place.
  struct NamedLoss : LostRank {
    NamedLoss(const LostRank& lost, std::string text) : LostRank(lost), text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }
    std::string text_;
  };

  std::shared_ptr<Transport> transport;
  int rank, ranks;
  std::vector<std::string> hosts;
  std::string where = "the first meeting";
  std::string failure, loss;  // why the job has ended: the failure all ranks know, or the lost rank this rank found
  std::vector<Note> notes;    // [ranks]: notes of the last meeting
  std::uint32_t asking = 0, asked = 0;  // requests to send at the next meeting; requests received
};

std::string Transport::host() const {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

LostRank LostRank::silent(std::vector<int> ranks, std::chrono::milliseconds timeout) {
  return {std::move(ranks), fmt::format("sent nothing for {} s", std::chrono::duration<double>(timeout).count())};
}

Job::Job(std::shared_ptr<Transport> transport) : impl_(std::make_unique<Impl>(std::move(transport))) {
  const std::string host = impl_->transport->host();
  std::vector<std::string> hosts;
  for (const std::vector<std::byte>& bytes : meet("the first meeting", std::as_bytes(std::span(host))))
    hosts.emplace_back(text_of(bytes));
  impl_->hosts = std::move(hosts);
}
Job::~Job() = default;

int Job::rank() const { return impl_->rank; }
int Job::ranks() const { return impl_->ranks; }
std::string Job::name(int rank) const { return impl_->name(rank); }

int Job::ranks_per_host() const {
  const std::vector<std::string>& hosts = impl_->hosts;
  const auto ranks =
      static_cast<int>(std::ranges::find_if(hosts, [&](const auto& h) { return h != hosts[0]; }) - hosts.begin());
  if (ranks == static_cast<int>(hosts.size()) || hosts.size() % ranks != 0) return 1;
  for (std::size_t r = 0; r < hosts.size(); ++r)
    if (hosts[r] != hosts[r - r % ranks] || (r >= static_cast<std::size_t>(ranks) && hosts[r] == hosts[r - ranks]))
      return 1;
  return ranks;
}

const std::string& Job::failure() const { return impl_->failure; }
void Job::ask(std::uint32_t requests) { impl_->asking |= requests; }
std::uint32_t Job::take_asked() { return std::exchange(impl_->asked, 0); }
Transport& Job::transport() const { return *impl_->transport; }

std::vector<std::vector<std::byte>> Job::meet(const std::string& where, std::span<const std::byte> bytes) {
  impl_->where = where;
  return impl_->meet(bytes, false);
}

std::vector<std::byte> Job::share(const std::string& where, std::span<const std::byte> bytes) {
  return std::move(meet(where, rank() == 0 ? bytes : std::span<const std::byte>())[0]);
}

void Job::exchange(std::vector<Message> sends, std::vector<Message> receives) {
  impl_->exchange(std::move(sends), std::move(receives));
}

void Job::expect_same(const std::string& where, const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) text += fact.value + '\0';
  const auto all = meet(where, std::as_bytes(std::span(text)));
  for (int r = 1; r < ranks(); ++r) {
    std::string_view found = text_of(all[r]), expected = text_of(all[0]);
    for (const Fact& fact : facts) {
      const std::string_view a = found.substr(0, found.find('\0')), b = expected.substr(0, expected.find('\0'));
      if (a != b) {
        impl_->failure =
            fmt::format("{} has {} {}, but rank 0 has {}; {}", impl_->name(r), fact.name, a, b, fact.remedy);
        throw FailedJob(impl_->failure);
      }
      found.remove_prefix(std::min(a.size() + 1, found.size()));
      expected.remove_prefix(std::min(b.size() + 1, expected.size()));
    }
  }
}

void Job::guard(const std::function<void()>& f) {
  const auto tell = [this](const std::string& problem) {
    try {
      impl_->meet(std::as_bytes(std::span(problem)), true);
    } catch (const UserError&) {  // ignored, because guard() throws the error of f
    }
  };
  try {
    f();
  } catch (const FailedJob&) {
    throw;
  } catch (const LostRank&) {
    throw;
  } catch (const std::bad_alloc&) {
    tell("out of memory; try a smaller batch or hidden size");
    throw;
  } catch (const std::exception& e) {
    tell(e.what());
    throw;
  }
}

}  // namespace cavs::inline v0_1

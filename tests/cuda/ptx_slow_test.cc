// The PTX interpreter must compute correctly and report each kind of fault, and no others.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "cuda/ptx/fault.h"
#include "cuda/ptx/machine.h"

namespace cavs::cuda::ptx {
namespace {

struct Pointers {
  void* out = nullptr;
  void* in = nullptr;
};

/// A kernel with two pointers in %rd0 and %rd1. Thread and block are in %r0 and %r1.
std::string kernel(const std::string& body, const std::string& variables = "") {
  return ".version 9.0\n.target sm_80\n.address_size 64\n" + variables +
         ".visible .entry test(.param .u64 p0, .param .u64 p1)\n{\n"
         ".reg .pred %p<8>;\n.reg .b16 %rs<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<32>;\n.reg .f64 %fd<8>;\n"
         ".reg .b64 %rd<32>;\n"
         "ld.param.u64 %rd0, [p0];\nld.param.u64 %rd1, [p1];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n" +
         body + "\nret;\n}\n";
}

/// Addresses of the thread's number: %rd2 in `out`, %rd3 in `in`.
const std::string kAddresses = "mul.wide.u32 %rd4, %r0, 4;\nadd.s64 %rd2, %rd0, %rd4;\nadd.s64 %rd3, %rd1, %rd4;\n";

struct Setting {
  LaunchOptions options{};
  std::vector<float> in = std::vector<float>(64, 1.5F);
  std::vector<float> out = std::vector<float>(128, 0);
  bool out_written = true;
};

void run(const std::string& ptx, Setting& s) {
  const Module module = Module::load(ptx);
  const Pointers pointers{s.out.data(), s.in.data()};
  const LaunchBuffer buffers[] = {{"in", s.in.data(), s.in.size() * sizeof(float)},
                                  {"out", s.out.data(), s.out.size() * sizeof(float), s.out_written}};
  launch(module, "test", s.options, buffers, &pointers, sizeof pointers);
}

/// Expects the fault in several orders of threads.
void expect_fault(FaultKind kind, const std::string& says, const std::string& ptx, const Setting& setting = {}) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setting s = setting;
    s.options.seed = seed;
    try {
      run(ptx, s);
      ADD_FAILURE() << "no fault; expected one with " << says;
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.kind(), kind) << fault.what();
      EXPECT_NE(std::string(fault.what()).find(says), std::string::npos) << fault.what();
    }
  }
}

void expect_no_fault(const std::string& ptx, const Setting& setting = {}) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setting s = setting;
    s.options.seed = seed;
    EXPECT_NO_THROW(run(ptx, s));
  }
}

/// NVRTC keeps the address of a parameter in a register if a kernel reads it in many places.
TEST(Ptx, LoadsParametersByAddress) {
  Setting s;
  const auto copies = [](const std::string& address) {
    return kernel("mov.b64 %rd5, p0;\nld.param.u64 %rd6, [" + address +
                  "];\nmul.wide.u32 %rd4, %r0, 4;\nadd.s64 %rd2, %rd0, %rd4;\nadd.s64 %rd3, %rd6, %rd4;\n"
                  "ld.global.f32 %f1, [%rd3];\nst.global.f32 [%rd2], %f1;\n");
  };
  for (const char* address : {"p1", "p0+8", "%rd5+8"}) {
    s.out.assign(s.out.size(), 0);
    run(copies(address), s);
    EXPECT_EQ(s.out[31], s.in[31]) << address;
  }
  expect_fault(FaultKind::kOutOfBounds, "8 bytes at 16 of 16 bytes of parameters", copies("%rd5+16"));
  expect_fault(FaultKind::kOutOfBounds, "bytes of parameters", copies("%rd5+-8"));
  expect_fault(FaultKind::kSyntax, "p2", copies("p2"));
}

TEST(Ptx, ComputesByLane) {
  Setting s;
  std::iota(s.in.begin(), s.in.end(), 1.0F);
  run(kernel(kAddresses + "ld.global.f32 %f1, [%rd3];\nfma.rn.f32 %f2, %f1, %f1, 0fBF800000;\n"
                          "st.global.f32 [%rd2], %f2;\n"),
      s);
  for (int l = 0; l < 32; ++l) EXPECT_EQ(s.out[l], s.in[l] * s.in[l] - 1) << l;
  EXPECT_EQ(s.out[32], 0);
}

TEST(Ptx, LanesDivergeAndReconverge) {
  Setting s;
  run(kernel(kAddresses + "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
                          "$loop:\nadd.s32 %r2, %r2, %r3;\nadd.s32 %r3, %r3, 1;\nsetp.le.s32 %p1, %r3, %r0;\n"
                          "@%p1 bra $loop;\n"
                          "shfl.sync.bfly.b32 %r4|%p2, %r2, 1, 31, -1;\ncvt.rn.f32.s32 %f1, %r4;\n"
                          "st.global.f32 [%rd2], %f1;\n"),
      s);
  for (int l = 0; l < 32; ++l) EXPECT_EQ(s.out[l], static_cast<float>((l ^ 1) * ((l ^ 1) + 1) / 2)) << l;
}

TEST(Ptx, RoundsAndConvertsAsInTheManual) {
  Setting s;
  s.in[0] = std::bit_cast<float>(0x3F808000U);
  s.in[1] = -2.5F;
  s.in[2] = 3e9F;
  s.in[3] = std::numeric_limits<float>::quiet_NaN();
  run(kernel("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\ncvt.rn.bf16x2.f32 %r2, %f2, %f1;\n"
             "cvt.rzi.s32.f32 %r3, %f2;\ncvt.rzi.s32.f32 %r4, %f3;\ncvt.rzi.s32.f32 %r5, %f4;\n"
             "setp.ltu.f32 %p1, %f1, %f4;\nselp.u32 %r6, 1, 0, %p1;\nsetp.ne.f32 %p2, %f1, %f4;\n"
             "selp.u32 %r7, 1, 0, %p2;\nmin.f32 %f5, %f4, %f2;\nbfe.s32 %r8, 0xF0, 4, 4;\nprmt.b32 %r9, 0x3210, "
             "0x7654, 0x7531;\nmov.b64 %rd5, {%r8, %r9};\nshr.s64 %rd6, %rd5, 70;\ncvt.u32.u64 %r10, %rd6;\n"
             "setp.eq.s32 %p3, %r0, 0;\n@!%p3 bra $end;\n"
             "st.global.v2.u32 [%rd0], {%r2, %r3};\nst.global.v2.u32 [%rd0+8], {%r4, %r5};\n"
             "st.global.v4.u32 [%rd0+16], {%r6, %r7, %r8, %r10};\nst.global.f32 [%rd0+32], %f5;\n$end:\n"),
      s);
  const auto bits = [&](int k) { return std::bit_cast<std::uint32_t>(s.out[k]); };
  EXPECT_EQ(bits(0), 0xC0203F80U);  // -2.5, and 1.00390625, a tie that is rounded to the even 1.0
  EXPECT_EQ(static_cast<int>(bits(1)), -2);
  EXPECT_EQ(bits(2), 0x7FFFFFFFU);
  EXPECT_EQ(bits(3), 0U);
  EXPECT_EQ(bits(4), 1U);
  EXPECT_EQ(bits(5), 0U);
  EXPECT_EQ(bits(6), ~0U);
  EXPECT_EQ(bits(7), 0U);
  EXPECT_EQ(s.out[8], -2.5F);
}

TEST(Ptx, NamesAnUnknownInstruction) {
  expect_fault(FaultKind::kUnknownInstruction, "ex2.approx.f32 %f1, %f2", kernel("ex2.approx.f32 %f1, %f2;\n"));
  expect_fault(FaultKind::kUnknownInstruction, "add.rz.f32", kernel("add.rz.f32 %f1, %f2, %f3;\n"));
  expect_fault(FaultKind::kUnknownInstruction, "atom.global.add.f32",
               kernel("atom.global.add.f32 %f1, [%rd0], 0f3F800000;\n"));
  expect_fault(FaultKind::kUnknownInstruction, "st.release.cta", kernel("st.release.cta.global.u32 [%rd0], 1;\n"));
}

TEST(Ptx, ReportsAccessesOutsideOfAllocations) {
  const auto at = [](int byte) {
    return kernel("ld.global.f32 %f1, [%rd1" + std::string(byte < 0 ? "+-" : "+") + std::to_string(std::abs(byte)) +
                  "];\n");
  };
  expect_no_fault(at(252));
  expect_fault(FaultKind::kOutOfBounds, "in has 256 bytes, this is from byte 256 on", at(256));
  expect_fault(FaultKind::kOutOfBounds, "outside of every allocation", at(-4));
  expect_fault(FaultKind::kMisaligned, "at byte 6 of in", at(6));
  expect_fault(FaultKind::kOutOfBounds, "buffer",
               kernel("mov.u32 %r2, buffer;\nst.shared.u32 [%r2+64], 1;\n", ".shared .align 4 .b8 buffer[64];\n"));
  expect_fault(FaultKind::kReadOnly, "is constant",
               kernel("mov.u64 %rd5, table;\nst.global.u32 [%rd5], 1;\n", ".const .align 4 .u32 table[2] = {1, 2};\n"));
}

TEST(Ptx, ReportsUnwrittenRegistersAndMemory) {
  expect_fault(FaultKind::kUnwrittenRegister, "%f1", kernel(kAddresses + "st.global.f32 [%rd2], %f1;\n"));
  // Lanes 0 to 15 write the register, but lane 16 reads it too.
  expect_fault(FaultKind::kUnwrittenRegister, "thread 16 reads %f1",
               kernel(kAddresses + "setp.lt.u32 %p1, %r0, 16;\n@%p1 mov.f32 %f1, 0f00000000;\n"
                                   "setp.lt.u32 %p2, %r0, 17;\n@%p2 st.global.f32 [%rd2], %f1;\n"));
  Setting s;
  s.out_written = false;
  expect_fault(FaultKind::kUnwrittenMemory, "out byte", kernel(kAddresses + "ld.global.f32 %f1, [%rd2];\n"), s);
  expect_no_fault(kernel(kAddresses + "st.global.f32 [%rd2], 0f00000000;\nld.global.f32 %f1, [%rd2];\n"), s);
  expect_fault(FaultKind::kUnwrittenMemory, "buffer byte 0",
               kernel("mov.u32 %r2, buffer;\nld.shared.u32 %r3, [%r2];\n", ".shared .align 4 .b8 buffer[64];\n"));
}

/// Lane 0 copies a number from `in`, or zeros, to shared memory and from there to `out`.
TEST(Ptx, ReportsReadsOfPendingCopies) {
  const auto copy = [](int bytes, const std::string& arrive) {
    return kernel("setp.eq.s32 %p1, %r0, 0;\n@!%p1 bra $end;\nmov.u32 %r9, buffer;\nmov.u32 %r10, " +
                      std::to_string(bytes) + ";\ncp.async.ca.shared.global [%r9+8], [%rd1], 4, %r10;\n" + arrive +
                      "ld.shared.f32 %f1, [%r9+8];\nst.global.f32 [%rd0], %f1;\n$end:\n",
                  ".shared .align 4 .b8 buffer[64];\n");
  };
  for (const int bytes : {0, 4}) {
    Setting s;
    s.out[0] = 7;
    run(copy(bytes, "cp.async.wait_all;\n"), s);
    EXPECT_EQ(s.out[0], bytes == 0 ? 0.0F : s.in[0]);
    expect_fault(FaultKind::kUnwrittenMemory, "which is on its way", copy(bytes, ""));
  }
}

TEST(Ptx, ReportsConstantLoadsOfWrittenMemory) {
  expect_fault(FaultKind::kReadOnly, "out byte",
               kernel(kAddresses + "st.global.f32 [%rd2], 0f00000000;\nld.global.nc.f32 %f1, [%rd2];\n"));
  expect_fault(FaultKind::kReadOnly, "out byte",
               kernel(kAddresses + "ld.global.nc.f32 %f1, [%rd2];\nst.global.f32 [%rd2], 0f00000000;\n"));
}

/// Thread 0 writes and thread `reader` reads, with `between` in between.
std::string hand_over(const std::string& between, int reader, bool shared) {
  const std::string space = shared ? "shared" : "global", address = shared ? "%r9" : "%rd0";
  return kernel("mov.u32 %r9, buffer;\nsetp.eq.s32 %p1, %r0, 0;\n@%p1 st." + space + ".u32 [" + address + "], 1;\n" +
                    between + "setp.eq.s32 %p2, %r0, " + std::to_string(reader) + ";\n@%p2 ld." + space +
                    ".u32 %r3, [" + address + "];\n",
                ".shared .align 4 .b8 buffer[64];\n");
}

TEST(Ptx, ReportsRacesWithinABlock) {
  Setting s;
  s.options.threads = 64;
  s.out_written = false;
  for (const bool shared : {false, true}) {
    expect_no_fault(hand_over("bar.sync 0;\n", 40, shared), s);
    expect_no_fault(hand_over("bar.sync 0;\n", 7, shared), s);
    expect_no_fault(hand_over("bar.warp.sync -1;\n", 7, shared), s);
    // Within a warp, neither a shuffle nor lockstep orders accesses.
    expect_fault(FaultKind::kRace, shared ? "buffer byte 0" : "out byte 0", hand_over("", 7, shared), s);
    expect_fault(FaultKind::kRace, "thread 7 and block 0 thread 0",
                 hand_over("shfl.sync.bfly.b32 %r4|%p3, %r0, 1, 31, -1;\n", 7, shared), s);
  }
  // In another warp, the fault is a race or a read of unwritten memory, depending on the order.
  s.out_written = true;
  expect_fault(FaultKind::kRace, "out byte 0", hand_over("", 40, false), s);
  expect_fault(FaultKind::kRace, "out byte 0", hand_over("bar.warp.sync -1;\n", 40, false), s);
  // All lanes write the same number.
  expect_fault(FaultKind::kRace, "out byte 0", kernel("st.global.u32 [%rd0], 1;\n"));
}

/// Thread 0 of block 0 writes out[0], then sets out[1]. In block 1, thread 0 waits for out[1], and 5 reads out[0].
std::string message(const std::string& send, const std::string& receive, const std::string& after = "") {
  return kernel(
      "setp.ne.s32 %p1, %r0, 0;\n@%p1 bra $meet;\nsetp.eq.s32 %p2, %r1, 1;\n@%p2 bra $wait;\n"
      "st.global.u32 [%rd0], 1;\n" +
      send + "bra $meet;\n$wait:\n" + receive + "setp.eq.s32 %p3, %r2, 0;\n@%p3 bra $wait;\n" + after +
      "$meet:\nbar.sync 0;\n" +
      "setp.eq.s32 %p4, %r0, 5;\n@!%p4 bra $end;\nsetp.eq.s32 %p5, %r1, 0;\n@%p5 bra $end;\n"
      "ld.global.u32 %r3, [%rd0];\n$end:\n");
}

TEST(Ptx, ReportsRacesBetweenBlocks) {
  Setting s;
  s.options.blocks = 2;
  const std::string send = "st.release.gpu.global.u32 [%rd0+4], 1;\n",
                    weak = "st.relaxed.gpu.global.u32 [%rd0+4], 1;\n";
  const std::string receive = "ld.acquire.gpu.global.u32 %r2, [%rd0+4];\n",
                    looks = "ld.relaxed.gpu.global.u32 %r2, [%rd0+4];\n", fence = "fence.acq_rel.gpu;\n";
  expect_no_fault(message(send, receive), s);
  expect_no_fault(message("red.release.gpu.global.add.u32 [%rd0+4], 1;\n", receive), s);
  expect_no_fault(message(fence + weak, looks, fence), s);
  expect_no_fault(message("membar.gl;\nst.volatile.global.u32 [%rd0+4], 1;\n",
                          "ld.volatile.global.u32 %r2, [%rd0+4];\n", "membar.gl;\n"),
                  s);
  expect_fault(FaultKind::kRace, "out byte 0", message(weak, receive), s);
  expect_fault(FaultKind::kRace, "out byte 0", message(send, looks), s);
  expect_fault(FaultKind::kRace, "out byte 0", message(weak + fence, looks, fence), s);
  expect_fault(FaultKind::kRace, "out byte 4", message("st.global.u32 [%rd0+4], 1;\n", receive), s);
}

TEST(Ptx, ReportsDivergentCollectives) {
  const std::string half = "setp.lt.u32 %p1, %r0, 16;\n";
  expect_fault(FaultKind::kDivergence, "shfl.sync",
               kernel(half + "@!%p1 bra $end;\nshfl.sync.bfly.b32 %r4|%p3, %r0, 1, 31, -1;\n$end:\n"));
  expect_fault(FaultKind::kDivergence, "bar.sync", kernel(half + "@!%p1 bra $end;\nbar.sync 0;\n$end:\n"));
  expect_fault(FaultKind::kDivergence, "bar.warp.sync", kernel(half + "@%p1 bar.warp.sync -1;\n"));
  expect_no_fault(kernel(half + "@!%p1 bra $end;\nshfl.sync.bfly.b32 %r4|%p3, %r0, 1, 31, 65535;\n$end:\n"));
  expect_no_fault(kernel(half + "@%p1 bra $end;\nbar.warp.sync -1;\nbra $out;\n$end:\nbar.warp.sync -1;\n$out:\n"));
  expect_fault(FaultKind::kUndefined, "does not take part",
               kernel(half + "@!%p1 bra $end;\nshfl.sync.bfly.b32 %r4|%p3, %r0, 16, 31, 65535;\n$end:\n"));
  Setting s;
  s.options.threads = 64;
  expect_fault(FaultKind::kDeadlock, "bar.sync",
               kernel("setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra $end;\nbar.sync 0;\n$end:\n"), s);
}

TEST(Ptx, ReportsAnEndlessWait) {
  Setting s;
  s.options.patience = 10000;
  expect_fault(FaultKind::kDeadlock, "all wait for ever",
               kernel("$wait:\nld.acquire.gpu.global.u32 %r2, [%rd0];\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra $wait;\n"),
               s);
}

/// Checks the layout of fragments with products whose elements are known.
TEST(Ptx, MultipliesTilesOfBf16) {
  Setting s;
  // a[m][k] = m == 3 ? k + 1 : 0, b[k][n] = (k == 5) + 2 (n == 6 && k == 9), c = lane.
  run(kernel(
          kAddresses +
          "shr.u32 %r2, %r0, 2;\nand.b32 %r3, %r0, 3;\nshl.b32 %r4, %r3, 1;\n"
          // a: only row g = 3, with columns 2 t, 2 t + 1 and 8 more
          "setp.eq.s32 %p1, %r2, 3;\nadd.s32 %r5, %r4, 1;\nadd.s32 %r6, %r4, 2;\nadd.s32 %r7, %r4, 9;\nadd.s32 %r8, "
          "%r4, 10;\ncvt.rn.f32.s32 %f1, %r5;\ncvt.rn.f32.s32 %f2, %r6;\ncvt.rn.f32.s32 %f3, %r7;\ncvt.rn.f32.s32 %f4, "
          "%r8;\ncvt.rn.bf16x2.f32 %r9, %f2, %f1;\ncvt.rn.bf16x2.f32 %r10, %f4, %f3;\nselp.b32 %r11, %r9, 0, "
          "%p1;\nselp.b32 %r12, %r10, 0, %p1;\nmov.u32 %r13, 0;\n"
          // b: row 5 is in the upper half of t = 2, and row 9 is in the upper half of the second register of t = 0
          "setp.eq.s32 %p2, %r3, 2;\nselp.b32 %r14, 0x3F800000, 0, %p2;\nsetp.eq.s32 %p3, %r2, 6;\nsetp.eq.s32 %p4, "
          "%r3, "
          "0;\nand.pred %p5, %p3, %p4;\nselp.b32 %r15, 0x40000000, 0, %p5;\n"
          "cvt.rn.f32.s32 %f5, %r0;\n"
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f10, %f11, %f12, %f13}, {%r11, %r13, %r12, %r13}, "
          "{%r14, %r15}, {%f5, %f5, %f5, %f5};\n"
          "mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd6, %rd0, %rd5;\nst.global.v4.f32 [%rd6], {%f10, %f11, %f12, "
          "%f13};\n"),
      s);
  for (int l = 0; l < 32; ++l)
    for (int q = 0; q < 4; ++q) {
      const int m = l / 4 + 8 * (q / 2), n = 2 * (l % 4) + q % 2;
      const int product = m != 3 ? 0 : n == 6 ? 6 + 2 * 10 : 6;
      EXPECT_EQ(s.out[4 * l + q], static_cast<float>(product + l)) << m << ", " << n;
    }
}

}  // namespace
}  // namespace cavs::cuda::ptx

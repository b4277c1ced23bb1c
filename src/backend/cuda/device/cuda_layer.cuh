#pragma once

// The part of CUDA that kernels use. Other compilers define the same names (tests/cuda/fibers: emulated CUDA threads).
#ifdef __CUDACC__

#define CAVS_DEVICE __device__ __forceinline__
#define CAVS_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads, 1)
#define CAVS_TABLE static __device__ const

// A builtin of g++ that backend/cpu/vec_math.h uses.
#define __builtin_inff() __int_as_float(0x7F800000)
#define __builtin_nanf(text) __int_as_float(0x7FFFFFFF)

namespace cavs::cuda {

/// The thread's number in the block. A block is called a processor.
CAVS_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
CAVS_DEVICE int processor() { return static_cast<int>(blockIdx.x); }
CAVS_DEVICE int processors() { return static_cast<int>(gridDim.x); }

/// Waits until the writes of earlier launches are visible. A launch calls it before accessing their memory, because an
/// early launch starts on the GPU while the launch before it ends.
CAVS_DEVICE void begin_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A barrier of all threads of the block. After it, each thread sees what the other threads had written and seen.
CAVS_DEVICE void sync() { __syncthreads(); }

/// A barrier of the threads of a warp, like sync().
CAVS_DEVICE void sync_warp() { __syncwarp(); }

/// Returns the value of x in lane `lane ^ mask` of the warp. All lanes must call it.
CAVS_DEVICE float shuffle_xor(float x, int mask) { return __shfl_xor_sync(0xFFFFFFFFU, x, mask); }
CAVS_DEVICE int shuffle_xor(int x, int mask) { return __shfl_xor_sync(0xFFFFFFFFU, x, mask); }
CAVS_DEVICE double shuffle_xor(double x, int mask) { return __shfl_xor_sync(0xFFFFFFFFU, x, mask); }

/// Returns the shared memory of the block, as an object of type T.
template <typename T>
CAVS_DEVICE T& shared() {
  __shared__ T all;
  return all;
}

/// Returns the block's dynamic shared memory, kWords words, which the launch provides. It is aligned to 16 bytes.
template <int kWords>
CAVS_DEVICE unsigned* shared_words() {
  extern __shared__ __align__(16) unsigned words[];
  return words;
}

/// Loads from memory that a launch may write. A float must be in GPU memory, not in shared memory.
template <typename T>
CAVS_DEVICE T load(const T* p) {
  return *p;
}
CAVS_DEVICE float load(const float* p) {
  float x;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p) : "memory");
  return x;
}
template <typename T>
CAVS_DEVICE void store(T* p, T x) {
  *p = x;
}
CAVS_DEVICE void store(float* p, float x) { asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(x) : "memory"); }
/// Loads from memory that this launch does not write.
CAVS_DEVICE int load_fixed(const int* p) { return __ldg(p); }

// The next two functions have no branch, because most of a kernel's code reads operands with them.
/// Returns a number of a list that this launch does not write, or `otherwise` if the list is nullptr.
CAVS_DEVICE int load_listed(const int* list, int number, int otherwise) {
  int found;
  asm("{\n"
      " .reg .pred has;\n"
      " .reg .b64 at;\n"
      " setp.ne.b64 has, %1, 0;\n"
      " mad.wide.s32 at, %2, 4, %1;\n"
      " mov.b32 %0, %3;\n"
      " @has ld.global.nc.s32 %0, [at];\n"
      "}"
      : "=r"(found)
      : "l"(list), "r"(number), "r"(otherwise));
  return found;
}
/// Loads from memory that a launch may write. Returns 0 if `row` is negative.
CAVS_DEVICE float load_or_zero(const float* p, int row) {
  float found;
  asm volatile(
      "{\n"
      " .reg .pred has;\n"
      " setp.ge.s32 has, %2, 0;\n"
      " mov.b32 %0, 0;\n"
      " @has ld.global.f32 %0, [%1];\n"
      "}"
      : "=f"(found)
      : "l"(p), "r"(row)
      : "memory");
  return found;
}

/// Copies a number to shared memory, from memory that a launch may write; copies 0 if `row` is negative. The thread can
/// read the number after copies_arrive().
CAVS_DEVICE void copy_to_shared(unsigned* to, const float* from, int row) {
  asm volatile(
      "{\n"
      " .reg .pred has;\n"
      " .reg .b32 bytes;\n"
      " setp.ge.s32 has, %2, 0;\n"
      " selp.b32 bytes, 4, 0, has;\n"
      " cp.async.ca.shared.global [%0], [%1], 4, bytes;\n"
      "}" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from), "r"(row)
      : "memory");
}
/// Copies 16 bytes like copy_to_shared(), with zeros from byte `count` on. Both addresses must be multiples of 16.
CAVS_DEVICE void copy_bytes_to_shared(unsigned* to, const void* from, int count) {
  asm volatile(
      "{\n"
      " .reg .b32 bytes;\n"
      " max.s32 bytes, %2, 0;\n"
      " min.s32 bytes, bytes, 16;\n"
      " cp.async.cg.shared.global [%0], [%1], 16, bytes;\n"
      "}" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from), "r"(count)
      : "memory");
}
CAVS_DEVICE bool is_aligned(const void* p) { return (reinterpret_cast<unsigned long long>(p) & 15) == 0; }
/// Ends a stage, which consists of the copies that began since the last call.
CAVS_DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until the copies of all stages have arrived, except those of the last kStages stages.
template <int kStages>
CAVS_DEVICE void stages_arrive() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kStages) : "memory");
}
/// Waits until all copies of the thread have arrived.
CAVS_DEVICE void copies_arrive() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// Sets a counter, with release semantics for everything that the thread has written or seen.
CAVS_DEVICE void signal(unsigned* counter, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}
/// Adds one to a counter, with release semantics for everything that the thread has written or seen.
CAVS_DEVICE void arrive(unsigned* counter) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
/// Reads a counter, with acquire semantics: the thread sees what was written before the counter had this value.
CAVS_DEVICE unsigned acquire(const unsigned* counter) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  return value;
}
/// Returns the time of the processor's clock.
CAVS_DEVICE long long ticks() {
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}
/// Is called between two reads of a counter (emulators run other threads here).
CAVS_DEVICE void pause() {}

/// Keeps the number in its register, so that the compiler does not load it again.
CAVS_DEVICE void keep(float& x) { asm volatile("" : "+f"(x)); }

/// Returns the same pointer, hidden from the optimiser. Data at the pointer are read again each time, and occupy no
/// registers between two reads.
template <typename T>
CAVS_DEVICE const T* forget(const T* p) {
  asm volatile("" : "+l"(p));
  return p;
}
CAVS_DEVICE int forget(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

/// A pattern that no addition, pack_bf16() or multiply_matrices() returns, since their NaN is 0x7FFFFFFF.
constexpr unsigned kNoNumber = 0xFFFFFFFFU;
/// Returns the same pointer once `common`, the bitwise AND of some results, is known. So data at the pointer are read
/// after these results. Otherwise ptxas would read all data at once, and use a register for each number.
template <typename T>
CAVS_DEVICE const T* after(const T* p, unsigned common) {
  asm volatile(
      "{\n"
      " .reg .pred never;\n"
      " setp.eq.u32 never, %1, 0xFFFFFFFF;\n"
      " @never add.s64 %0, %0, 4;\n"
      "}"
      : "+l"(p)
      : "r"(common));
  return p;
}
CAVS_DEVICE int after(int x, unsigned common) {
  asm volatile(
      "{\n"
      " .reg .pred never;\n"
      " setp.eq.u32 never, %1, 0xFFFFFFFF;\n"
      " @never add.s32 %0, %0, 1;\n"
      "}"
      : "+r"(x)
      : "r"(common));
  return x;
}

/// Returns the quotient of two non-negative numbers.
CAVS_DEVICE int quotient(int a, int b) { return static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b)); }

/// Returns a * b + c, rounded once, to nearest.
CAVS_DEVICE float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
CAVS_DEVICE float square_root(float x) { return __fsqrt_rn(x); }
CAVS_DEVICE double square_root(double x) { return __dsqrt_rn(x); }
CAVS_DEVICE unsigned bits_of(float x) { return __float_as_uint(x); }
CAVS_DEVICE float float_of(unsigned x) { return __uint_as_float(x); }

/// Returns two numbers rounded to bf16, the first one in the lower half.
CAVS_DEVICE unsigned pack_bf16(float low, float high) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

/// Computes sums [16, 8] += a [16, 16] times b [16, 8], with a and b in bf16. All lanes of a warp must call it. The PTX
/// ISA defines the elements of a lane: "Matrix Fragments for mma.m16n8k16 with floating point type".
CAVS_DEVICE void multiply_matrices(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
CAVS_DEVICE void keep(unsigned& x) { asm volatile("" : "+r"(x)); }

/// Returns a number rounded to TF32 (eleven significant bits), to nearest, ties away from zero.
CAVS_DEVICE unsigned pack_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

/// Computes sums [16, 8] += a [16, 8] times b [8, 8], with a and b in TF32: "Matrix Fragments for mma.m16n8k8".
CAVS_DEVICE void multiply_matrices_tf32(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace cavs::cuda

#endif

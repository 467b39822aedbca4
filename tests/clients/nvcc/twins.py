"""What the book's kernels in CUDA C++ compute (`docs/cuda`): the twins of the catalog's, which the pages show beside these."""

import numpy as np

# Two of them launch kernels.
VARIANTS = [["-rdc=true"]]
N = 1000


def launch(module, name, grid, block, *arguments, **more):
    module.launch(f"_Z{len(name)}{name}", grid, block, *arguments, **more)


def i32(value):
    return np.int32(value)


def floats(random, *shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


def integers(random, *shape):
    return random.integers(-1000, 1000, shape, np.int32)


def same(is_, should):
    assert np.array_equal(is_, should), f"{is_}, expected {should}"


def near(is_, should):
    error = np.max(np.abs(is_.astype(np.float64) - should))
    assert error < 1e-4, f"off by {error}"


def check_basics(module, random):
    a, b, c = floats(random, N), floats(random, N), np.zeros(N, np.float32)
    launch(module, "vec_add", 4, 256, a, b, c, i32(N))
    same(c, a + b)
    a, b, c = floats(random, 30, 50), floats(random, 30, 50), np.zeros((30, 50), np.float32)
    launch(module, "mat_add_2d_2d", (2, 4), (32, 8), a, b, c, i32(50), i32(30))
    same(c, a + b)
    partials = np.zeros(4, np.float32)
    launch(module, "pi_partial", 4, 128, partials, i32(10_000))
    near(partials.astype(np.float64).sum() / 10_000, np.pi)
    launch(module, "hello_world", 1, 2)
    launch(module, "bump_global", 1, 1)
    table = np.ones(N, np.float32)
    launch(module, "read_constant_table", 4, 256, table, i32(N))
    same(table, np.zeros(N, np.float32))


def lcg(x):
    return (x * 1664525 + 1013904223) & 0xFFFFFFFF


def xorshift(x):
    x ^= x << 13 & 0xFFFFFFFF
    x ^= x >> 17
    return (x ^ x << 5) & 0xFFFFFFFF


def repeated(step, x, times):
    for _ in range(times):
        x = step(x)
    return x


def check_execution(module, random):
    out = np.zeros(N, np.uint32)
    launch(module, "diverge_by_thread", 4, 256, out, np.uint32(5), i32(N))
    same(out, np.array([repeated(xorshift if i % 2 else lcg, i, 5) for i in range(N)], np.uint32))
    launch(module, "stir_bounded", 1, 1024, out, np.uint32(0), i32(N))
    same(out, np.array([sum(repeated(lcg, i, k) for k in range(32)) & 0xFFFFFFFF for i in range(N)], np.uint32))
    input = integers(random, N)
    for name in ["reduce_neighbored_less", "reduce_interleaved"]:
        sums = np.zeros(8, np.int32)
        launch(module, name, 8, 128, input.copy(), sums, i32(N))
        same(sums.sum(), input.sum())
    input = integers(random, 4096)
    for name in ["reduce_unrolling8", "reduce_unroll_warps8"]:
        sums = np.zeros(4, np.int32)
        launch(module, name, 4, 128, input.copy(), sums)
        same(sums, input.reshape(4, -1).sum(1))
    sums = np.zeros(1, np.int32)
    launch(module, "recursive_reduce_nosync", 1, 512, input[:1000].copy(), sums, i32(1000))
    same(sums, [input[:1000].sum()])
    launch(module, "nested_hello_world", 1, 4, i32(0))


def check_instruction(module, random):
    counter = np.zeros(1, np.int32)
    launch(module, "incr_atomic", 2, 64, counter)
    launch(module, "my_atomic_add", 2, 64, counter)
    launch(module, "incr_racy", 1, 1, counter)
    same(counter, [257])
    values, flag = integers(random, N), np.zeros(1, np.int32)
    launch(module, "check_threshold_atomic", 4, 256, values, values.max(), flag, i32(N))
    same(flag, [0])
    launch(module, "check_threshold_atomic", 4, 256, values, i32(values.max() - 1), flag, i32(N))
    same(flag, [1])
    total = np.zeros(1, np.int32)
    launch(module, "atomic_per_warp", 4, 256, values, total, i32(N))
    same(total, [values.sum()])
    a, b, c = (floats(random, N) for _ in range(3))
    contracted, separate = np.zeros(N, np.float32), np.zeros(N, np.float32)
    launch(module, "mul_add", 4, 256, a, b, c, contracted, separate, i32(N))
    same(separate, a * b + c)
    # A product of floats is exact in a double, and the sum is rounded once more than a fused one.
    near(contracted, a.astype(np.float64) * b + c)
    out = np.zeros(N, np.float32)
    launch(module, "busy_f32", 4, 256, a, out, np.uint32(3), i32(N))
    near(out, ((a.astype(np.float64) * 0.75 + 0.1) * 0.75 + 0.1) * 0.75 + 0.1)
    x, y = floats(random, N).astype(np.float16), floats(random, N).astype(np.float16)
    should = x.astype(np.float64) * 0.5 + y
    launch(module, "axpy_half2", 2, 256, x, y, np.float16(0.5), i32(N // 2))
    same(y, should.astype(np.float16))
    results, sum = np.zeros(4, np.int32), np.zeros(1, np.float32)
    launch(module, "atomics", 1, 64, results, sum)
    same(results, [64, 63, -1, 4])
    same(sum, [32])


def check_memory(module, random):
    a, b, n = floats(random, N), floats(random, N), i32(N)

    def out_of(name, *arguments, block=256):
        out = np.zeros(N, np.float32)
        launch(module, name, 4, block, *(out if argument is None else argument for argument in arguments))
        return out

    same(out_of("offset_copy", a, None, n, i32(3))[3:], a[3:])
    same(out_of("stride_copy", a, None, n, i32(2))[::2], a[::2])
    same(out_of("read_offset", a, b, None, n, i32(5))[:-5], (a + b)[5:])
    same(out_of("read_offset_unroll4", a, b, None, n, i32(5), block=64)[:-5], (a + b)[5:])
    same(out_of("write_offset", a, b, None, n, i32(5))[5:], (a + b)[:-5])
    same(out_of("gather_scattered", a, None, n), a[np.arange(N) * 1031 % N])
    points, moved = floats(random, N, 2), np.zeros((N, 2), np.float32)
    launch(module, "aos_update", 4, 256, points, moved, n)
    same(moved, points + np.float32([10, 20]))
    x, y = np.zeros(N, np.float32), np.zeros(N, np.float32)
    launch(module, "soa_update", 4, 256, a, b, x, y, n)
    same((x, y), (a + np.float32(10), b + np.float32(20)))
    three = [np.zeros(N, np.float32) for _ in range(3)]
    launch(module, "copy_cached_or_not", 4, 256, a, *three, n)
    same(three, [a, a, a])
    volume = floats(random, 3, 4, 16)
    should = volume.copy()
    should[:, :, :10] *= 2
    launch(module, "scale_pitched_3d", (1, 1, 3), (16, 4, 1), volume, np.uint64(64), i32(10), i32(4), i32(3), np.float32(2))
    same(volume, should)
    matrix = floats(random, 30, 50)
    for name, grid in [("transpose_naive_row", (2, 4)), ("transpose_naive_col", (1, 7))]:
        out = np.zeros((50, 30), np.float32)
        launch(module, name, grid, (32, 8), matrix, out, i32(50), i32(30))
        same(out, matrix.T)


def check_shared(module, random):
    words = random.integers(0, 1 << 32, N, np.uint32)
    for name in ["local_array_dynamic", "local_array_static"]:
        counts = np.zeros((32, 64), np.uint32)
        launch(module, name, 1, 64, words, counts, i32(N))
        same(counts.sum(1), np.bincount(words >> 27, minlength=32))
    a, out = floats(random, N), np.zeros(N, np.float32)
    launch(module, "stencil_constant", 4, 256, a, out, i32(N))
    wide = np.pad(a.astype(np.float64), 4)
    near(out, sum(c * (wide[4 + j : N + 4 + j] - wide[4 - j : N + 4 - j]) for j, c in enumerate([4 / 5, -1 / 5, 4 / 105, -1 / 280], 1)))
    out = np.zeros((32, 32), np.uint32)
    launch(module, "square_row_col_pad", 1, (32, 32), out)
    same(out, np.arange(1024).reshape(32, 32).T)
    out = np.zeros((32, 16), np.uint32)
    launch(module, "rect_row_col_pad", 1, (32, 16), out)
    same(out, np.arange(512).reshape(16, 32).T)
    out = np.zeros(N, np.float32)
    launch(module, "copy_async_pipeline", 2, 256, a, out, i32(N))
    same(out, a)
    letter, received = integers(random, 32), np.zeros(32, np.int32)
    launch(module, "fence_device", 2, 32, letter, np.zeros(32, np.int32), received, np.zeros(1, np.int32))
    same(received, letter[::-1])
    input = integers(random, N)
    for name, shared in [("reduce_smem", 512), ("reduce_shfl", 0)]:
        sums = np.zeros(8, np.int32)
        launch(module, name, 8, 128, input, sums, i32(N), shared=shared)
        same(sums.sum(), input.sum())
    matrix, out = floats(random, 30, 50), np.zeros((50, 30), np.float32)
    launch(module, "transpose_smem_pad", (2, 2), (32, 16), matrix, out, i32(50), i32(30))
    same(out, matrix.T)
    a, b, c = floats(random, 40, 50), floats(random, 50, 60), np.zeros((40, 60), np.float32)
    launch(module, "matmul_shared", (2, 2), (32, 32), a, b, c, i32(40), i32(60), i32(50))
    near(c, a.astype(np.float64) @ b)


def mask(lanes):
    return sum(1 << int(lane) for lane in np.flatnonzero(lanes))


def check_warp(module, random):
    input = integers(random, 64) % 4
    outs = [np.zeros(64, np.int32) for _ in range(4)]
    launch(module, "shuffles", 1, 64, input, *outs)
    parts, lane = input.reshape(-1, 16), np.arange(16)
    should = [np.full(16, 2), np.where(lane < 2, lane, lane - 2), np.where(lane > 13, lane, lane + 2), lane ^ 1]
    for out, of in zip(outs, should):
        same(out.reshape(-1, 16), parts[:, of])
    ballots, all, matches = np.zeros(64, np.uint32), np.zeros(64, np.int32), np.zeros(64, np.uint32)
    launch(module, "votes", 1, 64, input, ballots, all, matches)
    for at in (slice(0, 32), slice(32, 64)):
        same(ballots[at], [mask(input[at] % 2 == 0)] * 32)
        same(matches[at], [mask(input[at] == value) for value in input[at]])
    same(all, np.zeros(64))
    sums = np.zeros(8, np.int32)
    launch(module, "tile_sums", 1, 64, input, sums)
    same(sums, input.reshape(8, 8).sum(1))
    input, squares, sums = integers(random, N), np.zeros(N, np.int32), np.zeros(N, np.int32)
    launch(module, "two_phases", 2, 128, input, squares, sums, i32(N), cooperative=True)
    same(sums, input**2 + input[::-1] ** 2)
    launch(module, "block_scan", 1, 256, input, sums, i32(256))
    same(sums[:256], np.cumsum(input[:256]))
    a, b = integers(random, N), integers(random, N)
    for name in ["worker_partitioned", "vector_partitioned"]:
        c = np.zeros(N, np.int32)
        launch(module, name, 2, 128, a, b, c, i32(N))
        same(c, a + b)


def check_algorithms(module, random):
    a, x, y = floats(random, 50, 70), floats(random, 70), np.zeros(50, np.float32)
    launch(module, "matvec_warp", 7, 256, a, x, y, i32(50), i32(70))
    near(y, a.astype(np.float64) @ x)
    dense = np.where(random.uniform(size=(50, 70)) < 0.1, a, np.float32(0))
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(51)).astype(np.uint32)
    launch(module, "spmv_csr", 1, 64, starts, columns.astype(np.uint32), dense[rows, columns], x, y, i32(50))
    near(y, dense.astype(np.float64) @ x)
    a, b, partials = floats(random, N), floats(random, N), np.zeros(2, np.float32)
    launch(module, "distance_partial_f32", 2, 128, a, b, partials, i32(N))
    near(np.sqrt(partials.sum(dtype=np.float64)), np.linalg.norm(a.astype(np.float64) - b))
    bits = np.zeros((2, 4), np.uint32)
    launch(module, "philox_bits", 1, 32, bits, np.uint64(0), np.uint64(0), i32(2))
    same(bits[0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8])  # the first of Random123's known answers
    plate, after = floats(random, 20, 50), np.zeros((20, 50), np.float32)
    launch(module, "heat_tiled", (2, 3), (32, 8), plate, after, i32(50), i32(20))
    should = plate.copy()
    should[1:-1, 1:-1] = ((plate[:-2, 1:-1] + plate[2:, 1:-1]) + (plate[1:-1, :-2] + plate[1:-1, 2:])) * np.float32(0.25)
    same(after, should)
    values, bins = random.integers(0, 64, N, np.int32), np.zeros(64, np.uint32)
    launch(module, "cluster_histogram", 4, 64, values, bins, i32(N), i32(16), shared=64)
    same(bins, np.bincount(values, minlength=64))
    input, sums = integers(random, 256), np.zeros(2, np.int32)
    launch(module, "cluster_sync_sum", 8, 32, input, sums)
    same(sums, input.reshape(2, -1).sum(1))

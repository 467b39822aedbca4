#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// By cudaLaunchCooperativeKernel: all blocks run at once.
__global__ void two_phases(const int* input, int* squares, int* sums, int n) {
    auto grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) squares[i] = input[i] * input[i];
    grid.sync();  // what follows reads what other blocks wrote
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sums[i] = squares[i] + squares[n - 1 - i];
}

__global__ void square_row_col_pad(unsigned* output) {
    __shared__ unsigned tile[32][32 + 1];  // without + 1: all words of a column are in one bank
    unsigned rank = threadIdx.y * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = rank;
    __syncthreads();
    output[rank] = tile[threadIdx.x][threadIdx.y];
}

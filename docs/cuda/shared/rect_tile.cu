__global__ void rect_row_col_pad(unsigned* output) {  // blocks of 32 x 16 threads
    __shared__ unsigned tile[16][32 + 1];
    unsigned rank = threadIdx.y * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = rank;
    __syncthreads();
    output[rank] = tile[rank % 16][rank / 16];  // the transposed tile has 32 rows of 16
}

__global__ void texture_2d_linear(cudaTextureObject_t image, float* output, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {  // normalized coordinates; the centre of a pixel is at 0.5
        output[y * width + x] = tex2D<float>(image, (x + 0.5f) / width, (y + 0.5f) / height);
    }
}

// Texture and surface forms, through texture objects.
extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float* out, uint4* o4) {
    float x = threadIdx.x; out[0] = tex1D<float>(t, x) + tex2D<float>(t, x, 1.f) + tex3D<float>(t, x, 1.f, 2.f) + tex1Dfetch<float>(t, 3) + tex2DLayered<float>(t, x, 1.f, 2) + tex2DLod<float>(t, x, x, 1.f) + tex2DGrad<float>(t, x, x, make_float2(1, 1), make_float2(2, 2)) + tex2Dgather<float4>(t, x, x, 1).x + texCubemap<float>(t, x, x, x);
    o4[0] = tex2D<uint4>(t, x, x); surf2Dwrite(o4[1], s, 4, 5); o4[2] = surf2Dread<uint4>(s, 4, 5, cudaBoundaryModeZero); surf1Dwrite(out[1], s, 8); out[2] = surf3Dread<float>(s, 4, 5, 6, cudaBoundaryModeClamp); out[3] = surf2DLayeredread<float>(s, 4, 5, 6);
}

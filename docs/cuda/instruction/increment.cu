__global__ void incr_racy(int* counter) { *counter += 1; }

__global__ void incr_atomic(int* counter) { atomicAdd(counter, 1); }

__global__ void my_atomic_add(int* counter) {
    int expected = *(volatile int*)counter, found;
    while ((found = atomicCAS(counter, expected, expected + 1)) != expected) expected = found;
}

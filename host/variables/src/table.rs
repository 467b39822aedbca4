//! The table itself. A row is `NAME "VARIABLE": VALUES, DEFAULT, WHAT;`, below the part
//! that reads it.

use crate::{Group, Variable};

/// Makes a static from each row, and the list [`ALL`] from all rows.
macro_rules! variables {
    ($($group:ident { $($id:ident $name:literal: $values:literal, $default:literal, $what:literal;)* })*) => {
        $($(
            #[doc = concat!("`", $name, "`: ", $what)]
            pub static $id: Variable = Variable {
                name: $name,
                group: Group::$group,
                values: $values,
                default: $default,
                what: $what,
            };
        )*)*

        /// Every variable, in the book's order.
        pub static ALL: &[&Variable] = &[$($(&$id),*),*];
    };
}

variables! {
    Device {
        DEVICE "LANEWISE_DEVICE": "`cuda`, `sim`, `auto`", "`auto`: a GPU if there is one",
            "What runs the kernels. With `cuda` a missing GPU is an error; `sim` does not look for one.";
        MODEL "LANEWISE_MODEL": "a device model, such as `h200` or `rtx4090`", "`h200`",
            "The GPU to simulate. For an unknown name the error lists the models.";
        SIM_DEVICES "LANEWISE_SIM_DEVICES": "1 to 16", "1",
            "The number of simulated devices.";
        SIM_PEERS "LANEWISE_SIM_PEERS": "`1`, `0`", "`1`",
            "Whether simulated devices can access each other's memory; with `0`, copies between them go through the host.";
        SIM_MEMORY "LANEWISE_SIM_MEMORY": "bytes, with `K`, `M` or `G` after the number", "the model's",
            "The memory of each simulated device.";
        TRY "LANEWISE_TRY": "`1`, `0`", "`0`",
            "A program with the driver inside ends before `main`; its exit code is 0 if the driver accepts the other settings. `lanewise exec` checks this first.";
    }
    Launch {
        CHECKS "LANEWISE_CHECKS": "`race`, `sync`, `memory`, `init`, `leak`, separated by commas; `init=strict`; `all` is all except `leak`", "none",
            "The checks of each launch, in addition to what is always checked. With `leak`, what the program has not freed is listed when it ends.";
        CHECKS_ACTION "LANEWISE_CHECKS_ACTION": "`fault`, `report`", "`fault`",
            "What a finding does: it fails the launch, as a fault does, or it is only printed.";
        SEED "LANEWISE_SEED": "a whole number of 64 bits", "0",
            "The order in which warps run. One seed gives one order.";
        SCHEDULE "LANEWISE_SCHEDULE": "`plain`, `random`, `pct`, `pct:DEPTH`, and `weak` with a comma between", "`plain`",
            "How threads are scheduled at memory accesses, and whether loads may read old values where the memory model allows it.";
        STEPS "LANEWISE_STEPS": "`1`, `0`", "`0`",
            "Prints the steps of each launch whose schedule is not `plain` on stderr.";
        BUDGET "LANEWISE_BUDGET": "a whole number of 64 bits, above 0", "the machine's",
            "The number of warp instructions after which a launch counts as hung.";
    }
    Output {
        LOG "LANEWISE_LOG": "`off`, `faults`, `errors`, `calls`", "`faults`",
            "What the driver prints on stderr: nothing; faults, findings, code that does not load and settings that cannot be met; \
             every failing call; every call.";
        COUNTERS "LANEWISE_COUNTERS": "a file's path, in which `%p` is the process id", "none",
            "Counts every launch of the simulator and writes the sums of each kernel as JSON when the program ends.";
        RECORD "LANEWISE_RECORD": "a file's path, in which `%p` is the process id", "none",
            "Records the first launch of each kernel on the simulator and writes what its warps executed as JSON when the program ends: \
             instructions, lanes and addresses. `lanewise figure` draws it.";
        SUMMARY "LANEWISE_SUMMARY": "`1`, `0`", "`0`",
            "When the program ends, prints on stderr which kernels ran, the findings and the counters.";
        TRACE "LANEWISE_TRACE": "a file's path", "none",
            "When the program ends, writes a trace of copies, kernels and calls for Perfetto or `chrome://tracing`.";
    }
    Host {
        PTX "LANEWISE_PTX": "a folder's path", "the PTX in the program",
            "PTX to load instead of the embedded PTX, as `build-ptx` writes it: a folder for each target.";
        CUDADEVRT "LANEWISE_CUDADEVRT": "a file's path", "looked for in CUDA's toolkit and Python's packages",
            "The device runtime, `libcudadevrt.a`, for kernels that launch kernels on a GPU.";
        NVIDIA_LIBRARIES "LANEWISE_NVIDIA_LIBRARIES": "a folder's path", "looked for by the system's loader and in CUDA's toolkit",
            "The libraries cuBLAS, cuFFT, cuSPARSE and cuRAND, which the benchmark compares with the catalog's kernels on a GPU.";
        NVJITLINK "LANEWISE_NVJITLINK": "a file's path", "looked for in CUDA's toolkit and Python's packages",
            "NVIDIA's linker, `libnvJitLink.so`, for modules that LTO-IR is linked with on a GPU.";
    }
    Build {
        ARCH "LANEWISE_ARCH": "targets with commas, such as `sm_90`, or `native`", "`sm_80,sm_90`",
            "The targets that a build script embeds if it names none: for one GPU alone, kernels take half as long to build. `native` are those of the GPUs in this machine, or `sm_90`, the simulated one's.";
        CACHE "LANEWISE_CACHE": "a folder's path, or `off`", "`lanewise/code` in `XDG_CACHE_HOME` or `~/.cache`",
            "Where the code of earlier builds is kept, up to 1 GiB: what LLVM has compiled once is not compiled again for another target folder.";
        DUMP "LANEWISE_DUMP": "a folder's path", "none",
            "Writes the result of each stage of the builder to numbered files.";
        MODULE "LANEWISE_MODULE": "a Rust path, such as `crate::kernels`", "set by the builder",
            "When a crate is compiled for the host, tells the macros the path of the type that holds its PTX. Do not set it by hand.";
    }
    Tests {
        BLESS "LANEWISE_BLESS": "`1`", "none",
            "Tests that compare with a file write it.";
        PTXAS "LANEWISE_PTXAS": "a file's path", "those tests are skipped",
            "NVIDIA's assembler, with which tests compare the loader and check the kernels.";
        OPCODE "LANEWISE_OPCODE": "an opcode", "all",
            "Limits the comparison of the loader with NVIDIA's assembler to this opcode.";
        MUTANTS "LANEWISE_MUTANTS": "a whole number", "a short run",
            "The number of mutated modules that the simulator's robustness test runs.";
        ISOLATED_TEST "LANEWISE_ISOLATED_TEST": "a test's name", "none",
            "Set by a test for the process that it starts.";
        TEST_TASK "LANEWISE_TEST_TASK": "a task's name", "none",
            "Set by a test for the process that it starts.";
        TEST_ROW "LANEWISE_TEST_ROW": "a row's name", "none",
            "Set by a test for the process that it starts.";
        TEST_FIRST_ROW "LANEWISE_TEST_FIRST_ROW": "a number", "none",
            "Set by a test for the process that it starts.";
    }
    Foreign {
        CUDA_LAUNCH_BLOCKING "CUDA_LAUNCH_BLOCKING": "`1`", "none",
            "Each launch waits for its kernel, with NVIDIA's driver and the simulated one.";
        CUDA_DEVICE_MAX_CONNECTIONS "CUDA_DEVICE_MAX_CONNECTIONS": "1 to 32", "8",
            "The number of hardware queues from streams to a device, with NVIDIA's driver and the simulated one.";
        CUDA_HOME "CUDA_HOME": "a folder's path", "`/usr/local/cuda`",
            "Where CUDA's toolkit is; `CUDA_PATH` does the same.";
        CUDA_PATH "CUDA_PATH": "a folder's path", "`/usr/local/cuda`",
            "As `CUDA_HOME`.";
        GITHUB_STEP_SUMMARY "GITHUB_STEP_SUMMARY": "a file's path", "none",
            "Set by GitHub: `sanitize --github` adds its findings to this file as Markdown.";
        DOCS_RS "DOCS_RS": "any value", "none",
            "Set by docs.rs: build scripts compile no kernels, because documentation has no use for them.";
        PROPTEST_CASES "PROPTEST_CASES": "a whole number", "as many as a test takes in a second or so",
            "How many random cases each property test tries: the repository's tests as any that use proptest. \"Random programs\" on the page of checks says what for.";
    }
}

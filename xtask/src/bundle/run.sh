#!/usr/bin/env bash
# Runs every test of this bundle, then the benchmark; needs neither Rust nor a CUDA toolkit.
# On a GPU where there is one, else on the simulated one; LANEWISE_DEVICE=cuda|sim decides instead.
# Arguments go to `patterns bench`. Logs, bench.json and a record of the times are put into $OUT, or into the folder results.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
results=${OUT:-$PWD/results}
mkdir -p "$results" || exit 1

./patterns device 2>&1 | tee "$results/device.log"
device=${PIPESTATUS[0]}

passed=0 failed=0
for test in tests/*; do
    name=${test##*/}
    log=$results/$name.log
    "$test" >"$log" 2>&1
    status=$?
    # "test result: ok. 3 passed; 0 failed; ..." is the last line of a test program that came to its end.
    read -r ok bad < <(sed -n 's/^test result: .* \([0-9]*\) passed; \([0-9]*\) failed.*/\1 \2/p' "$log" | tail -n 1)
    [ -n "${ok:-}" ] || ok=0 bad=0
    [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    passed=$((passed + ok)) failed=$((failed + bad))
    printf '%-40s %5d passed %5d failed\n' "$name" "$ok" "$bad"
    [ "$bad" -eq 0 ] || { echo "exit code $status; the end of $log:"; tail -n 60 "$log"; }
done

./patterns bench --json --record "$results/record.json" --commit "$(cat COMMIT)" "$@" >"$results/bench.json"
bench=$?
[ "$bench" -eq 0 ] || echo "patterns bench failed with exit code $bench"

# What the GPU makes of every instruction of the simulator's table. The simulator has nothing to say about itself, and a difference is
# for people to look at: neither fails the run.
if head -n 1 "$results/device.log" | grep -q ', GPU$'; then
    ./patterns diff --json >"$results/diff-device.json" 2>"$results/diff-device.log"
    echo "patterns diff: exit code $?, result in $results/diff-device.json"
    # Which wrong kernel NVIDIA's own tool finds.
    if command -v compute-sanitizer >/dev/null; then
        ./wrong sanitizer --out "$results/sanitizer.json" >"$results/sanitizer.log" 2>&1
        echo "wrong sanitizer: exit code $?, result in $results/sanitizer.json"
    fi
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && [ "$device" -eq 0 ] && [ "$bench" -eq 0 ]

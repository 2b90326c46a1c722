#!/bin/bash
# The load engine against fio: ten jobs, each run by both on the same file, by turns in an order that is drawn,
# ROUNDS times (default 12) for TIME (default 500ms) behind RAMP (default 200ms). fio gets its job from `--emit-fio`,
# and with it the size of the batches in which I/O is sent and taken: one by one, fio's default.
# Per job: the ratio of I/Os a second and of the 50th and 99th percentile of latency, with 95 % intervals over the
# rounds. JOBS picks some by number (default all); TARGET is a file of SIZE (default 1G), made where it is not there.
# KEYS are further keys of the jobs (default batch=1; fio sends fewer at once than a larger batch asks for, because what it
# sends before it waits stays in its count of what is queued); RAW is a file for the figures of each run, which
# `fio_cross.py compare` makes a table of again.
#
# fio's percentiles come in classes 1.6 % wide: ratios agree where the interval reaches into 0.98 to 1.02.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2154 # of lib.sh
need fio fio
need python3 python3
target=${TARGET:-$scratch/target}
size=${SIZE:-1G}
rounds=${ROUNDS:-12}

jobs=(
    '4k randread 1        |sizes="4k"   op="read"    depth=1'
    '4k randread 16       |sizes="4k"   op="read"    depth=16'
    '4k randread 64       |sizes="4k"   op="read"    depth=64'
    '64k randread 8       |sizes="64k"  op="read"    depth=8'
    '128k read 4          |sizes="128k" op="read"    depth=4 pattern="sequential"'
    '4k randwrite 1       |sizes="4k"   op="write"   depth=1'
    '4k randwrite 16      |sizes="4k"   op="write"   depth=16'
    '64k randwrite 8      |sizes="64k"  op="write"   depth=8'
    '1M write 1, 4 jobs   |sizes="1M"   op="write"   depth=1 pattern="sequential" workers=4'
    '4k 70/30 32, +512    |sizes="4k"   op="read-70" depth=32 offset="512"'
)

# The file is made and filled by ioalign, so that it may be written.
"$ioalign" measure run "$target" --size "$size" --ramp 0 --time 10ms --quiet >"$scratch/made"

ours() { # JOB: one run, as a line of figures
    "$ioalign" measure run "$1.toml" "$target" --write --destroy-data "$target" --quiet --json >"$1.ours.json"
    python3 "$here/benches/fio_cross.py" ours "$1.ours.json"
}
peer() {
    fio --output-format=json --output="$1.fio.json" "$1.fio"
    python3 "$here/benches/fio_cross.py" fio "$1.fio.json"
}

for number in ${JOBS:-$(seq ${#jobs[@]})}; do
    IFS='|' read -r name keys <<<"${jobs[$((number - 1))]}"
    job=$scratch/$number
    {
        printf 'name = "cross"\n[[step]]\nramp = "%s"\nrun = "%s"\nrefill = false\n' "${RAMP:-200ms}" "${TIME:-500ms}"
        tr -s ' ' '\n' <<<"$keys ${KEYS-batch=1}"
    } >"$job.toml"
    "$ioalign" measure run "$job.toml" "$target" --size "$size" --emit-fio >"$job.fio"
    for ((round = 0; round < rounds; round++)); do
        for tool in $(shuf -e ours peer); do
            # What the run before has left to be written would compete with this one.
            sync "$target"
            printf '%s\t%s\t%s\t%s\n' "$name" "$round" "$tool" "$("$tool" "$job")"
        done
    done
done | tee -a "${RAW:-/dev/null}" | python3 "$here/benches/fio_cross.py" compare

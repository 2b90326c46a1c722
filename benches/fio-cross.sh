#!/bin/bash
# The load engine against fio: ten jobs, each run by both on the same file, by turns in an order that is drawn,
# ROUNDS times (default 12) for TIME (default 500) milliseconds behind RAMP (default 200). fio gets the job that `--emit-fio` writes,
# and with it the size of the batches in which I/O is sent and taken: one by one, fio's default.
# Per job: the ratio of I/Os a second and of the 50th and 99th percentile of latency, with 95 % intervals over the
# rounds. JOBS picks some by number (default all); TARGET is a file of SIZE bytes (default 1 GiB), made where it is not there.
# The engine is driven by a command of tools/ that does nothing else, as in engine.sh; LOAD names a build of it.
# MORE are further words for it (default batch=1; fio sends fewer at once than a larger batch asks for, because what it
# sends before it waits stays in its count of what is queued); RAW is a file for the figures of each run, which
# `fio_cross.py compare` makes a table of again.
#
# fio's percentiles come in classes 1.6 % wide: ratios agree where the interval reaches into 0.98 to 1.02.
# shellcheck source=benches/lib.sh
export IOALIGN=none
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2154 # of lib.sh
need fio fio
need python3 python3
load=${LOAD:-$(tool load)}
target=${TARGET:-$scratch/target}
rounds=${ROUNDS:-12}
figures=$here/benches/fio_cross.py

jobs=(
    '4k randread 1       |depth=1'
    '4k randread 16      |depth=16'
    '4k randread 64      |depth=64'
    '64k randread 8      |block=65536 depth=8'
    '128k read 4         |block=131072 depth=4 pattern=sequential'
    '4k randwrite 1      |read=0 depth=1'
    '4k randwrite 16     |read=0 depth=16'
    '64k randwrite 8     |read=0 block=65536 depth=8'
    '1M write 1, 4 jobs  |read=0 block=1048576 pattern=sequential workers=4'
    '4k 70/30 32, +512   |read=0.7 depth=32 offset=512'
)

# The file is made and filled by the engine, so that it may be written.
"$load" "$target" size="${SIZE:-1073741824}" ramp=0 ms=10 >"$scratch/made"
# Its cached pages would be in the way of the first runs, until fio drops them.
dd of="$target" oflag=nocache conv=notrunc,fdatasync count=0 status=none

ours() { # WORDS: one run, as a line of figures
    "$load" "$target" destroy=1 "$@" | python3 "$figures" ours
}
peer() {
    "$load" "$target" emit=1 "$@" >"$scratch/job.fio"
    fio --output-format=json "$scratch/job.fio" | python3 "$figures" fio
}

for number in ${JOBS:-$(seq ${#jobs[@]})}; do
    IFS='|' read -r name words <<<"${jobs[$((number - 1))]}"
    read -ra words <<<"$words refill=0 ramp=${RAMP:-200} ms=${TIME:-500} ${MORE-batch=1}"
    for ((round = 0; round < rounds; round++)); do
        # Places of both are drawn again, or what is particular about those of one would be taken for the tool.
        seed=$RANDOM
        for tool in $(shuf -e ours peer); do
            # What the run before has left to be written would compete with this one.
            sync "$target"
            printf '%s\t%s\t%s\t%s\n' "$name" "$round" "$tool" "$("$tool" "${words[@]}" seed=$seed)"
        done
    done
done | tee -a "${RAW:-/dev/null}" | python3 "$figures" compare

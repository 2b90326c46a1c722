# shellcheck shell=bash
# Sourced by the measurements: the program under test, a scratch folder, medians, peak memory.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C

# $IOALIGN, or a release build of this tree.
ioalign=${IOALIGN:-}
if [ -z "$ioalign" ]; then
    (cd "$here" && cargo build --release --quiet --package ioalign)
    ioalign=${CARGO_TARGET_DIR:-$here/target}/release/ioalign
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ioalign-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

need() { # COMMAND PACKAGE
    command -v "$1" >/dev/null || { echo "$1 is missing (package $2)" >&2 && exit 1; }
}

# `micros COMMAND…`: wall time of one whole process in µs. Exit codes 0 to 3 are verdicts.
micros() {
    local start=$EPOCHREALTIME code=0
    "$@" >/dev/null 2>&1 || code=$?
    local end=$EPOCHREALTIME
    [ $code -le 3 ] || { echo "failed with $code: $*" >&2 && exit 1; }
    echo $((${end/./} - ${start/./}))
}

# Median, 10th and 90th percentile of the numbers on standard input.
percentiles() {
    sort -n | awk '{v[NR]=$1} END {printf "%d %d %d\n", v[int((NR+1)/2)], v[int(NR*0.1)+1], v[int(NR*0.9)+(NR<10)]}'
}

# `interleaved RUNS NAME_A NAME_B`: times the functions a and b by turns, prints both and the ratio.
interleaved() {
    local runs=$1 i
    : >"$scratch/a.us" && : >"$scratch/b.us"
    for i in 1 2 3; do a >/dev/null && b >/dev/null; done
    for ((i = 0; i < runs; i++)); do
        if ((i % 2)); then
            a >>"$scratch/a.us" && b >>"$scratch/b.us"
        else
            b >>"$scratch/b.us" && a >>"$scratch/a.us"
        fi
    done
    local a50 a10 a90 b50 b10 b90
    read -r a50 a10 a90 < <(percentiles <"$scratch/a.us")
    read -r b50 b10 b90 < <(percentiles <"$scratch/b.us")
    printf '%-28s median %6d us  p10 %6d  p90 %6d\n' "$2" "$a50" "$a10" "$a90" "$3" "$b50" "$b10" "$b90"
    awk -v a="$a50" -v b="$b50" -v x="$2" -v y="$3" 'BEGIN {printf "%s / %s: %.2f\n", x, y, a / b}'
}

# `peak_kib COMMAND…`: peak resident memory, by GNU time.
peak_kib() {
    local code=0
    need /usr/bin/time time
    /usr/bin/time -f %M -o "$scratch/peak" "$@" >/dev/null 2>"$scratch/stderr" || code=$?
    [ $code -le 3 ] || [ $code -eq 65 ] || { echo "failed with $code: $*" >&2 && cat "$scratch/stderr" >&2 && exit 1; }
    tail -n 1 "$scratch/peak"
}

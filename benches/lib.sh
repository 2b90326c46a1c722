# shellcheck shell=bash
# Sourced by the measurements: the program under test, a scratch folder, times, peak memory.
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

# A command of `tools/` as a program: builds it and prints the path of a script that starts it.
tool() { # COMMAND
    (cd "$here" && cargo build --release --quiet --package ioalign-tools) || return 1
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "${CARGO_TARGET_DIR:-$here/target}/release/ioalign-tools" "$1" >"$scratch/tool-$1"
    chmod +x "$scratch/tool-$1"
    echo "$scratch/tool-$1"
}

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

# `by_turns RUNS COMMAND A… -- COMMAND B…`: medians of whole processes and the ratio of A to B.
by_turns() {
    [ -x "$scratch/by_turns" ] || rustc -O --edition 2024 -o "$scratch/by_turns" "$here/benches/by_turns.rs"
    "$scratch/by_turns" "$@"
}

# `peak_kib COMMAND…`: peak resident memory, by GNU time.
peak_kib() {
    local code=0
    need /usr/bin/time time
    /usr/bin/time -f %M -o "$scratch/peak" "$@" >/dev/null 2>"$scratch/stderr" || code=$?
    [ $code -le 3 ] || [ $code -eq 65 ] || { echo "failed with $code: $*" >&2 && cat "$scratch/stderr" >&2 && exit 1; }
    tail -n 1 "$scratch/peak"
}

#!/bin/bash
# Writes .cargo/order.ld: which functions a check of one image runs, for the linker to lay side by side.
# To be run again now and then, when much has changed; a function that is missing there, or that is no
# more, costs at most a page fault. Needs valgrind, and a release build with its symbols, which this makes.
# Not the build that lib.sh would make: with symbols, below.
IOALIGN=none
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need valgrind valgrind
need sfdisk fdisk
need python3 python3

(cd "$here" && CARGO_PROFILE_RELEASE_STRIP=none cargo build --release --quiet --package ioalign)
ioalign=${CARGO_TARGET_DIR:-$here/target}/release/ioalign
cd "$scratch"
truncate -s 200M mbr.img gpt.img
printf '63,204800,83\n208896,,83\n' | sfdisk -q mbr.img
printf 'label: gpt\nstart=2048,size=204800\nstart=208896\n' | sfdisk -q gpt.img
for image in mbr.img gpt.img; do
    for how in --no-color --ascii --json --quiet; do
        valgrind -q --tool=callgrind --demangle=no --callgrind-out-file="$image$how.calls" \
            "$ioalign" check $how $image >/dev/null || [ $? -le 3 ]
    done
done
# The lines `fn=(12) name` name each function; 'name'2 is a recursion. Each once a run.
for calls in ./*.calls; do
    sed -nE "s/^c?fn=\([0-9]+\) //; T; s/'[0-9]+$//; p" "$calls" | sort -u
done >functions
# Which member of the C library holds which function.
nm -A "$(cc -print-file-name=libc.a)" 2>/dev/null |
    awk '$2 ~ /^[TtWi]$/ {n = split($1, at, ":"); print at[n - 1], $3}' >members
python3 "$here/benches/order.py" functions members >"$here/.cargo/order.ld"

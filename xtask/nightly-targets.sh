#!/bin/sh
# The tests of the library crates on a big-endian processor (s390x) and on a 32-bit one (i686), emulated by QEMU: byte order
# and the width of `usize` show in formats on disk. Hours on a small machine: for a nightly run.
#
#   ./dev nightly processors                          both, all crates
#   ./dev xtask/nightly-targets.sh s390x ioalign-core ioalign-inspect
#
# Tests that need programs, root or the virtual machine are left out. Needs cargo-zigbuild and Zig (docs/releasing.md); the
# targets of Rust are added by rustup where they are missing.
set -eu
cd "$(dirname "$0")/.."
export IOALIGN_TESTS=unit
crates="ioalign-core ioalign-inspect ioalign-observe ioalign-check ioalign-report"

# Runs the tests of a target: its Rust name, then the crates.
tests() {
    target=$1
    shift
    packages=
    for crate in "${@:-$crates}"; do packages="$packages $(printf -- '-p %s ' $crate)"; done
    rustup target list --installed | grep -qx "$target" || rustup target add "$target"
    # shellcheck disable=SC2086 # a list
    cargo-zigbuild test --locked --no-fail-fast --target "$target" $packages
}

case ${1-} in
s390x | i686)
    one=$1
    shift
    ;;
'') one=all ;;
*)
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 64
    ;;
esac
failed=0
if [ "$one" != i686 ]; then
    # glibc of Debian for programs of that processor; Zig links against it and does not bring it.
    export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER='qemu-s390x-static -L /usr/s390x-linux-gnu'
    tests s390x-unknown-linux-gnu "$@" || failed=1
fi
if [ "$one" != s390x ]; then
    export CARGO_TARGET_I686_UNKNOWN_LINUX_MUSL_RUNNER=qemu-i386-static
    tests i686-unknown-linux-musl "$@" || failed=1
fi
exit $failed

#!/bin/sh
# The wheel in a fresh virtual environment: its documents are those of the program, wrong input raises, tables open in pandas.
#
#   crates/python/test.sh                   builds both (debug) and tests them
#   crates/python/test.sh WHEEL PROGRAM     tests these
#
# Needs python3 with venv. pip installs pyarrow and pandas, and without WHEEL also maturin.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { "$work/venv/bin/pip" install -q --disable-pip-version-check "$@"; }
if [ $# = 2 ]; then
    wheel=$(realpath "$1") program=$(realpath "$2")
else
    pip 'maturin>=1.16,<2'
    manifest=$here/../../Cargo.toml
    cargo build -q --locked -p ioalign --manifest-path "$manifest"
    program=$(realpath "${CARGO_TARGET_DIR:-$here/../../target}/debug/ioalign")
    "$work/venv/bin/maturin" build -q --locked -m "$here/Cargo.toml" --out "$work"
    wheel=$(echo "$work"/*.whl)
fi
pip "${wheel}[arrow]" pandas
cd "$work"
IOALIGN=$program TEXTS=$here/../../fuzz/texts "$work/venv/bin/python" -I "$here/tests/wheel.py"

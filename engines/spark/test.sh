#!/bin/sh
# The Spark engine on a real cluster: a master and two workers on the loopback interface, and SQL in Spark and DuckDB.
#
#   engines/spark/test.sh            builds ioalign (debug) and runs all of it: minutes
#   IOALIGN=FILE engines/spark/test.sh [cluster|killed|sql|scale]...
#
# Needs Java 17 (Debian: openjdk-17-jre-headless) and python3 with venv. pyspark and duckdb are installed by pip into
# $IOALIGN_CACHE or ~/.cache/ioalign, once. All processes that it starts end with it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${IOALIGN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ioalign}
venv=$cache/spark-venv
command -v java >/dev/null || {
    echo "engines/spark/test.sh: java is missing: openjdk-17-jre-headless" >&2
    exit 1
}
if [ ! -e "$venv/ready" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q pyspark==4.3.0 duckdb==2.0.1
    touch "$venv/ready"
fi
if [ -z "${IOALIGN:-}" ]; then
    cargo build -q -p ioalign --manifest-path "$here/../../Cargo.toml"
    IOALIGN=${CARGO_TARGET_DIR:-$here/../../target}/debug/ioalign
fi
PATH=$venv/bin:$PATH
export IOALIGN PATH
exec "$venv/bin/python" "$here/test.py" "$@"

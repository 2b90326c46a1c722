#!/bin/bash
# HOSTS (default 100000) captures of made hosts pushed over HTTP to `ioalign serve --collect`, on SQLite and on PostgreSQL:
# acknowledged a second. The server has one core; the load and PostgreSQL have the other. Memory of the server in KiB.
# CONNECTIONS (32); POSTGRES=no leaves PostgreSQL out.
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need taskset util-linux
need sha256sum coreutils
load=$(tool fleet-load)
token=0123456789abcdef0123456789abcdef
printf '[[agent]]\nname = "load"\ntoken_sha256 = "%s"\n' "$(printf %s "$token" | sha256sum | cut -d' ' -f1)" >"$scratch/agents.toml"
server=''
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

measure() { # NAME STORE
    taskset -c 1 "$ioalign" serve --collect --listen 127.0.0.1:0 --json --store "$2" --agents-file "$scratch/agents.toml" >"$scratch/ready" &
    server=$!
    for _ in $(seq 100); do
        [ ! -s "$scratch/ready" ] || break
        sleep 0.1
    done
    address=$(sed 's,.*"url": *"http://,,; s,/*".*,,' "$scratch/ready")
    echo "== $1"
    taskset -c 0 "$load" push "$address" "$token" "${HOSTS:-100000}" "${CONNECTIONS:-32}"
    awk -v pushes="${HOSTS:-100000}" -v ticks="$(getconf CLK_TCK)" \
        '{ printf "%.0f a second of the server'"'"'s processor time\n", pushes * ticks / ($14 + $15) }' "/proc/$server/stat"
    awk '/^Vm(RSS|HWM)/ { printf "%s %s KiB ", $1, $2 } END { print "" }' "/proc/$server/status"
    kill -INT "$server"
    wait "$server" || true
    server=
}

measure SQLite "sqlite:$scratch/fleet.db"
if [ "${POSTGRES:-yes}" = yes ]; then
    coproc postgres { exec taskset -c 0 "$load" postgres; }
    read -r url <&"${postgres[0]}"
    measure PostgreSQL "$url"
    input=${postgres[1]}
    exec {input}>&-
    wait
fi

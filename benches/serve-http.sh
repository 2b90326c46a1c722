#!/bin/bash
# What `ioalign serve` answers, holds and costs. The server and its client share one core. The watched load has the other,
# together with the worker of its loop device: all unbound workers of the kernel are kept there meanwhile, because on the
# server's core they wait for it, and the load for them. A server at rest and no server take turns; then it is asked RATE
# times a second for SECONDS_ALL, then as often as it answers.
# Needs root. Knobs: ROUNDS (7), SECONDS_EACH (5), RATE (2000), SECONDS_ALL (600).
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need fio fio
need jq jq
need python3 python3
need losetup mount
need taskset util-linux
rounds=${ROUNDS:-7} each=${SECONDS_EACH:-5} rate=${RATE:-2000} all=${SECONDS_ALL:-600}
paths=/metrics,/api/v1/stack,/api/v1/profile
file=/dev/shm/ioalign-bench.$$
truncate -s 512M "$file"
disk=$(losetup --find --show "$file")
workers=/sys/devices/virtual/workqueue/cpumask
workers_before=$(cat "$workers")
server='' asker=''
finish() {
    for pid in $server $asker; do kill -INT "$pid" 2>/dev/null || true; done
    wait || true
    echo "$workers_before" >"$workers"
    losetup -d "$disk"
    rm -rf "$file" "$scratch"
}
trap finish EXIT
echo 1 >"$workers"

start() {
    taskset -c 1 "$ioalign" serve --listen 127.0.0.1:0 --json "${disk#/dev/}" >"$scratch/ready" 2>"$scratch/err" &
    server=$!
    for _ in $(seq 300); do
        [ ! -s "$scratch/ready" ] || break
        sleep 0.1
    done
    address=$(jq -r .url "$scratch/ready" | sed 's,.*://,,; s,/$,,')
    # The first check and the first profile.
    sleep 4
}
stop() {
    kill -INT "$server"
    wait "$server" || true
    server=
}
ask() { # SECONDS RATE
    taskset -c 1 python3 "$here/benches/serve_http.py" "$address" "$paths" "$1" "$2" "$server"
}
load() { # I/Os a second of the load alone on the other core
    taskset -c 0 fio --name=load --filename="$disk" --rw=randrw --direct=1 --bs=4k --ioengine=psync \
        --time_based --runtime="$each" --norandommap --output-format=json 2>/dev/null |
        sed -n '/^{/,$p' | jq '.jobs[0] | .read.iops + .write.iops | round'
}

echo "== the watched load: I/Os a second without a server, with one, with one that answers $rate/s"
load >/dev/null
for _ in $(seq "$rounds"); do
    without=$(load)
    start
    with=$(load)
    ask $((each + 2)) "$rate" >"$scratch/asked" &
    asker=$!
    sleep 1
    busy=$(load)
    wait "$asker" || true
    asker=
    stop
    echo "$without $with $busy $(jq -c .answers_per_s "$scratch/asked")"
done | tee "$scratch/rounds"
awk '{ a[NR] = $2 / $1; b[NR] = $3 / $1 }
    function median(v, n,   i, j, t) { for (i = 1; i < n; i++) for (j = i + 1; j <= n; j++) if (v[j] < v[i]) { t = v[i]; v[i] = v[j]; v[j] = t }
        return v[int((n + 1) / 2)] }
    END { printf "median of the ratios: with a server %.3f, with one that answers %.3f\n", median(a, NR), median(b, NR) }' "$scratch/rounds"

echo "== $rate questions a second for $all s, while the load runs"
start
taskset -c 0 fio --name=load --filename="$disk" --rw=randrw --direct=1 --bs=4k --ioengine=psync \
    --time_based --runtime="$((all + 5))" >/dev/null 2>&1 &
asker=$!
ask "$all" "$rate"
echo "== as many as it answers, for $each s"
ask "$each" 0
kill "$asker" 2>/dev/null || true
wait "$asker" || true
asker=
stop

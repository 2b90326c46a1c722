# shellcheck shell=dash
# `ioalign measure compare --write-amplification` on NVMe drives of QEMU, which writes what it gets: an amplification of 1.
# The drives are named on the command line of the test, because only newer versions of QEMU have the page C0h.
#: --memory 768 --module nvme
. /lib/capture.sh
modprobe nvme
# shellcheck disable=SC2154 # capture.sh sets it
out=$captures/counters
mkdir -p "$out"

count() {
    ioalign measure compare "$1" --write --destroy-data "$1" --ops write --depth 4 --offsets 0,512 --time 500ms \
        --no-saturate -q --write-amplification 32M -o "$out/$2.json" || [ $? = 1 ]
}

# A drive by its serial number, when it is there; `nvme0c0n1` is a path to one, and no device.
drive() {
    n=0
    until grep -qs "^$1 *$" /sys/block/nvme?n1/device/serial || [ $n -ge 100 ]; do
        usleep 100000
        n=$((n + 1))
    done
    found=$(grep -ls "^$1 *$" /sys/block/nvme?n1/device/serial)
    mdev -s
    echo "$found" | cut -d/ -f4
}

for serial in d0 d1; do
    name=$(drive $serial)
    count "/dev/$name" $serial
done
name=$(drive d0)
partition "/dev/$name" 63
count "/dev/${name}p1" partition
echo "$name" >"$out/name"
export_captures

#!/bin/bash
# Peak memory of `ioalign check` on images that claim to be huge. Fails above LIMIT_KIB (64 MiB).
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need qemu-img qemu-utils
need sgdisk gdisk
limit=${LIMIT_KIB:-65536}
worst=0

judge() { # NAME IMAGE
    local kib
    kib=$(peak_kib "$ioalign" check "$2" --json)
    printf '%-44s %7d KiB\n' "$1" "$kib"
    ((kib <= worst)) || worst=$kib
}

# `put FILE OFFSET HEX`: overwrites bytes.
put() {
    # shellcheck disable=SC2059 # the format is the data
    printf "$(sed 's/../\\x&/g' <<<"$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# `seal FILE`: the CRC of the GPT header, so that only the claims are odd. gzip ends in a CRC-32.
seal() {
    put "$1" $((512 + 16)) 00000000
    dd if="$1" bs=1 skip=512 count=92 status=none | gzip -c | tail -c 8 | head -c 4 |
        dd of="$1" bs=1 seek=$((512 + 16)) conv=notrunc status=none
}

cd "$scratch"
truncate -s 7E raw.img 2>/dev/null || truncate -s 15T raw.img
judge "raw, $(stat -c %s raw.img) bytes, empty" raw.img
rm raw.img

qemu-img create -q -f qcow2 -o cluster_size=2M 64t.qcow2 64T
judge "qcow2, 64 TiB" 64t.qcow2
qemu-img create -q -f qcow2 8e.qcow2 1M
put 8e.qcow2 24 7fffffffffffffff # header: size
judge "qcow2, header claims 8 EiB" 8e.qcow2
put 8e.qcow2 36 7fffffff # header: l1_size
judge "qcow2, 8 EiB and 2^31 L1 entries" 8e.qcow2

qemu-img create -q -f vhdx -o block_size=1M 64t.vhdx 64T
judge "vhdx, 64 TiB in 1 MiB blocks" 64t.vhdx
qemu-img create -q -f vpc 2040g.vhd 2040G
judge "vhd, 2040 GiB" 2040g.vhd
qemu-img create -q -f vdi 64t.vdi 64T 2>/dev/null || qemu-img create -q -f vdi 64t.vdi 500T
judge "vdi, dozens of TiB" 64t.vdi
qemu-img create -q -f vmdk 62t.vmdk 62T
judge "vmdk, 62 TiB" 62t.vmdk

truncate -s 4G gpt.img
sgdisk -S 65536 -n 1:0:0 gpt.img >/dev/null 2>&1 || sgdisk -n 1:0:0 gpt.img >/dev/null
judge "GPT, 65536 entries" gpt.img
put gpt.img $((512 + 80)) ffffffff # number of entries
seal gpt.img
judge "GPT, claims 2^32 - 1 entries" gpt.img
put gpt.img $((512 + 84)) 00000080 # bytes an entry, little-endian
seal gpt.img
judge "GPT, claims entries of 2 GiB" gpt.img

echo "worst: $worst KiB, limit: $limit KiB"
((worst <= limit))

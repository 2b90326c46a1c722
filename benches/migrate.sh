#!/bin/bash
# What `fix FOLDER --output NEW` reads and writes of image files, against `qemu-img convert` of the same image: the bytes of all
# read and write calls, as strace sees them, and the time of each without strace. The partition begins at sector 63, so all of its
# data move. `--verify none` is what qemu-img does; the default reads the new image back.
#
#   SIZE_MIB (256) of data; FORMATS ("raw qcow2 vmdk vhdx")
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
need qemu-img qemu-utils
need strace strace
need sfdisk fdisk

size=${SIZE_MIB:-256}
folder=$(mktemp -d "${TMPDIR:-/tmp}/ioalign-migrate.XXXXXX")
trap 'rm -rf "$scratch" "$folder"' EXIT

truncate -s $((size + 64))M "$folder/disk"
echo "start=63,size=$((size * 2048)),type=83" | sfdisk -q --label dos "$folder/disk"
head -c "${size}M" /dev/urandom | dd of="$folder/disk" bs=512 seek=63 conv=notrunc status=none

# Bytes that a command reads from $1 and writes to $2, in MiB.
traffic() {
    local old=$1 new=$2
    shift 2
    strace -f -qq -y -e trace=read,pread64,readv,preadv,preadv2,write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile \
        -o "$scratch/calls" "$@" >/dev/null
    awk -v old="$old" -v new="$new" '
        # A call that another thread interrupts is in two lines.
        / <unfinished \.\.\.>$/ { sub(/ <unfinished.*/, ""); begun[$1] = $0; next }
        / resumed>/ { pid = $1; sub(/.* resumed>/, ""); $0 = begun[pid] $0 }
        !/ = [0-9]+$/ { next }
        {
            name = $2
            sub(/\(.*/, "", name)
            is_old = index($0, "<" old)
            is_new = index($0, "<" new)
        }
        name ~ /copy_file_range|sendfile/ && (is_old || is_new) { other++; next }
        name ~ /read/ && is_old { source += $NF }
        name ~ /read/ && is_new { back += $NF }
        name ~ /write/ && is_new { written += $NF }
        END {
            printf "%8.1f %8.1f %8.1f", source / 1048576, written / 1048576, back / 1048576
            if (other) printf "  %d calls not counted", other
        }' "$scratch/calls"
}

seconds() { awk -v t="$(micros "$@")" 'BEGIN {printf "%6.2f", t / 1e6}'; }

echo "$size MiB of data              MiB read  written     back        s"
for format in ${FORMATS:-raw qcow2 vmdk vhdx}; do
    mkdir -p "$folder/old"
    rm -rf "$folder"/old/* "$folder"/new*
    qemu-img convert -f raw -O "$format" "$folder/disk" "$folder/old/a.$format"
    for who in convert none full; do
        case $who in
        convert) run=(qemu-img convert -f "$format" -O "$format" "$folder/old/a.$format" "$folder/new.$format") ;;
        *) run=("$ioalign" fix "$folder/old" --output "$folder/new" --verify "$who" -q) ;;
        esac
        printf '  %-6s %-18s' "$format" "${who/#none/fix, --verify none}"
        traffic "$folder/old/" "$folder/new" "${run[@]}"
        rm -rf "$folder"/new*
        printf '   %s\n' "$(seconds "${run[@]}")"
        rm -rf "$folder"/new*
    done
done

# shellcheck shell=dash
# `ioalign watch` on Linux 6.1, whose tracepoints and structures differ from newer kernels: no
# block_io_start, requests of null_blk with several queues, and devices that have bios only.
#: --module null_blk --module dm-mod --module brd --memory 1024
. /lib/capture.sh
# shellcheck disable=SC2154 # capture.sh sets it
out=$captures/watch
modprobe null_blk nr_devices=1 gb=1 queue_mode=2 submit_queues=2 hw_queue_depth=64
modprobe brd rd_nr=1 rd_size=65536
modprobe dm-mod
export DM_DISABLE_UDEV=1
echo "0 100000 linear /dev/nullb0 63" | dmsetup create shifted
mdev -s
mount -t tracefs none /sys/kernel/tracing
mkdir -p "$out"

# Blocks of 8 KiB on a volume that begins at sector 63 of the disk below.
load() {
    dd if=/dev/zero of=/dev/mapper/shifted bs=8k count=100 oflag=direct 2>/dev/null
    dd if=/dev/nullb0 of=/dev/null bs=4k count=50 iflag=direct 2>/dev/null
    dd if=/dev/ram0 of=/dev/null bs=12k count=30 skip=1 iflag=direct 2>/dev/null
    dd if=/dev/zero of=/dev/nullb0 bs=1536 seek=7 count=20 oflag=direct 2>/dev/null
}

# `seen NAME ARGUMENT…`: the load under a watch.
seen() {
    name=$1
    shift
    ioalign watch --json "$@" >"$out/$name.json" 2>"$out/$name.txt" &
    n=0
    until grep -q '^ioalign: watching' "$out/$name.txt"; do
        n=$((n + 1))
        if [ $n -ge 300 ] || ! kill -0 $!; then
            sed 's/^/@@failed /' "$out/$name.txt"
            exit 1
        fi
        usleep 200000
    done
    load
    kill -INT $!
    wait $! || echo "@@failed $name $?"
}

seen typed nullb0 /dev/mapper/shifted ram0 --unit 8k --top 5 --record "$out/typed.blktrace"
seen plain nullb0 --unit 8k --by tracepoint
seen text nullb0 --unit 8k --by tracefs
ioalign trace summarize --json --grid 8k "$out/typed.blktrace" >"$out/trace.json"
export_captures

# shellcheck shell=dash
# `ioalign watch` on Linux 6.1, whose tracepoints and structures differ from newer kernels: no
# block_io_start, requests of null_blk with several queues, and devices that have bios only.
#: --module null_blk --module dm-mod --module brd --module sd_mod --module scsi_debug --memory 1024
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

# A disk that gives every seventh command back: the host is busy (SDEBUG_OPT_HOST_BUSY).
modprobe sd_mod
modprobe scsi_debug dev_size_mb=16 opts=0x8000 every_nth=7
usleep 500000
mdev -s

# Blocks of 8 KiB on a volume that begins at sector 63 of the disk below.
some_io() {
    dd if=/dev/zero of=/dev/mapper/shifted bs=8k count=100 oflag=direct 2>/dev/null
    dd if=/dev/nullb0 of=/dev/null bs=4k count=50 iflag=direct 2>/dev/null
    dd if=/dev/ram0 of=/dev/null bs=12k count=30 skip=1 iflag=direct 2>/dev/null
    dd if=/dev/zero of=/dev/nullb0 bs=1536 seek=7 count=20 oflag=direct 2>/dev/null
}

load() {
    some_io
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

seen typed nullb0 /dev/mapper/shifted ram0 --unit 8k --top 5 --groups 9 --files 9 \
    --record "$out/typed.blktrace"
load() {
    dd if=/dev/zero of=/dev/sda bs=8k count=60 seek=1 oflag=direct 2>/dev/null
}
seen busy sda --unit 16k --record "$out/busy.blktrace"
seen busy-plain sda --unit 16k --by tracepoint
seen busy-text sda --unit 16k --by tracefs
ioalign trace summarize --quiet --json --grid 16k "$out/busy.blktrace" >"$out/busy-trace.json"
load() {
    some_io
}
seen plain nullb0 --unit 8k --by tracepoint
seen text nullb0 --unit 8k --by tracefs
ioalign trace summarize --quiet --json --grid 8k "$out/typed.blktrace" >"$out/trace.json"
seen columns nullb0 --unit 8k --record "$out/columns.parquet"
ioalign trace summarize --quiet --json --grid 8k "$out/columns.parquet" >"$out/parquet.json"

# The same load by the kernel's own tracer of blktrace records.
tracing=/sys/kernel/tracing
echo 4096 >$tracing/buffer_size_kb
echo blk >$tracing/current_tracer
echo nocontext-info >$tracing/trace_options
echo bin >$tracing/trace_options
echo 1 >/sys/block/nullb0/trace/enable
some_io
echo 0 >/sys/block/nullb0/trace/enable
cat $tracing/trace_pipe >"$out/blk.bin" &
usleep 3000000
kill $!
wait $! || true
echo nop >$tracing/current_tracer
ioalign trace summarize --quiet --json --grid 8k "$out/blk.bin" >"$out/blk.json"
export_captures

//! Examples and exit codes of the verbs.

pub const RUN_EXAMPLES: &str = "\
Examples:
  ioalign simulate run raid10:4x64k randread:16k:qd8 --start 63s
  ioalign simulate run raid5:5x32k:md randwrite:4k:qd32
  ioalign simulate run array.toml blender-70-30 --ios 1000000 --json
  ioalign simulate run --raid 5 --disks 6 --element 64k randwrite:16k:qd8
  ioalign simulate run --from check.json randread:16k:qd8        the array and the partition of a checked stack
  ioalign simulate run raid10:4x64k --replay trace.csv --as msr  as many in flight as --depth says
  ioalign simulate run raid10:4x64k --replay trace.bin --open    at the times of the trace

ARRAY: LEVEL:DISKSxELEMENT[:md|controller] with raid0, raid1, raid10, raid5 or raid6; single; a name of
simulate list; FILE.toml. WORKLOAD: [rand]read|[rand]write:SIZE:qdN; a named job of measure; JOB.toml.

Exit codes: 0 done, 64 wrong usage, also an array that cannot be; 65 a file cannot be read.";

pub const COMPARE_EXAMPLES: &str = "\
Examples:
  ioalign simulate compare raid10:4x64k randread:16k:qd8 --starts 63s,2048s
  ioalign simulate compare raid5:4x64k:md randwrite:16k:qd8 --starts 63s,64s,2048s
  ioalign simulate compare raid10:4x64k randread:16k:qd8 --element 32k,64k,256k
  ioalign simulate compare --raid 5,10 --disks 4,6 randwrite:16k:qd8
  ioalign simulate compare mysql-raid10 randwrite:16k:qd8 --cache through,back:96M --runs 5
  ioalign simulate compare vmfs-raid5 iometer-vmfs --starts 128s,63s -o page.html

The first arm is the one that others are compared with. A page, a drawing or a table (html, svg, csv) compares
starts on one array.

Exit codes: 0 done, 64 wrong usage, also an array that cannot be; 65 a file cannot be read.";

pub const SERVE_EXAMPLES: &str = "\
Examples:
  ioalign simulate serve raid10:4x64k --start 63s
  ioalign simulate serve raid5:4x64k:md --size 1G --json
  ioalign simulate serve array.toml --data /var/tmp/array.img
  ioalign simulate serve single --service 200us --tear 512 --lose-unflushed=some --seed 7

It stays until Ctrl-C or SIGTERM. SIGUSR1 cuts the power: I/Os fail from then on. SIGUSR2 switches it on again, with what
the loss has left.

Exit codes: 0 stopped, 64 wrong usage, also an array that cannot be; 65 it cannot be served.";

pub const CALIBRATE_EXAMPLES: &str = "\
Examples:
  ioalign simulate calibrate /dev/md0 --array raid5:4x64k:md
  ioalign simulate calibrate /dev/md0 --array array.toml --offset 63s --sizes 16k,64k --depth 8,32 -o record.json

Only reads are sent without --write. First the aligned I/O is measured, then the cost of the offset is predicted and
shown, then it is measured. A prediction is a hit within --tolerance of the measured ratio.

Exit codes: 0 done, 1 at least one miss, 64 wrong usage, 65 the target cannot be used, 130 interrupted.";

pub const PUBLISHED_EXAMPLES: &str = "\
Examples:
  ioalign simulate published
  ioalign simulate published --json

Parameters come from data sheets and from the documents, none from the figure that a row is compared with;
simulate list prints all of them.

Exit codes: 0 done, 64 wrong usage.";

pub const PROVISION_EXAMPLES: &str = "\
Examples:
  ioalign simulate provision
  ioalign simulate provision --tiles 1,7,13 --disk ssd-group,hdd-group --filled 50,100

A tile is a mail server, a database and a web server; each kind has a volume of its own.

Exit codes: 0 done, 64 wrong usage.";

pub const PLACEMENT_EXAMPLES: &str = "\
Examples:
  ioalign simulate placement
  ioalign simulate placement --nodes 16 --json

Exit codes: 0 done, 64 wrong usage.";

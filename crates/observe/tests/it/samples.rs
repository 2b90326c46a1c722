//! A hand-written trace of every format.

use ioalign_observe::formats::Hints;

/// A trace.
pub struct Sample {
    /// The format's name.
    pub format: &'static str,
    /// What the operator has to say.
    pub hints: Hints,
    /// The trace.
    pub bytes: Vec<u8>,
}

pub fn offset_unit(unit: u32) -> Hints {
    Hints {
        offset_unit: Some(unit),
        ..Hints::default()
    }
}

pub const BLKPARSE: &str = "\
  8,16   1        1     0.000000000  5821  Q   W 63 + 8 [fio]
  8,16   1        2     0.000000500  5821  P   N [fio]
  8,16   1        3     0.000241205  5821  D   W 63 + 8 [kworker/u4:1 x]
  8,16   0        4     1.000341205     0  C   W 63 + 8 [0]
CPU0 (8,16):
 Reads Queued:           0,        0KiB\t Writes Queued:           1,        4KiB
";

pub const FTRACE: &str = "\
# tracer: nop
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
             fio-5821    [001] d..1.  1234.567890: block_rq_issue: 8,16 W 4096 () 63 + 8 be,0,4 [fio]
 kworker/u4:1-ev-77      [000] .....  1234.567990: block_bio_remap: 8,16 W 63 + 8 <- (8,17) 0
CPU:1 [LOST 4 EVENTS]
          <idle>-0       [001] d.h1.  1234.568890: block_rq_complete: 8,16 W () 63 + 8 be,0,4 [0]
";

pub const PERF: &str = "\
             fio  5821 [001]  1234.567890: block:block_rq_issue: 8,16 W 4096 () 63 + 8 [fio]
 web server 1  5822 [000]  1234.567891: block:block_bio_queue: 8,16 RA 128 + 16 [web server 1]
         swapper     0 [001]  1234.568890: block:block_rq_complete: 8,16 W () 63 + 8 [0]
 perf  1 [000]  1234.6: PERF_RECORD_LOST lost 17
";

pub const BIOSNOOP: &str = "\
TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)
0.004329    supervise      1950    xvda1     W 13092560   4096    0.74
0.104329    Web Content 2  1951    xvda1     R 63         512     1.50
";

pub const BLKALGN: &str = "\
Tracing block commands... Hit Ctrl-C to end.
DISK       OPS      LEN      LBA        PID        COMM             ALGN    
nvme9n1    Write    16384    1024       1234       web server 1     16384   
nvme9n1    Read     4096     7          1235       fio              4096    

     Block size          : count     distribution
";

pub const BPFTRACE: &str = "\
Attaching 3 probes...
ioalign-bpftrace 1
D 1000 8 16 63 4096 WS 5821 web server 1
C 2500 8 16 63 4096 WS
Lost 12 events
";

pub const IOLOG2: &str = "\
fio version 2 iolog
/dev/sdb add
/dev/sdb open
/dev/sdb write 32256 4096
/dev/sdb wait 100 0
/dev/sdb trim 0 1048576
/dev/sdb sync 0 0
/dev/sdb close
";

pub const IOLOG3: &str = "\
fio version 3 iolog
0 /dev/sdb add
1 /dev/sdb open
878 /dev/sdb read 512 16384
10001677 /dev/sdb close
";

pub const FIO_LAT: &str = "\
1, 250000, 1, 4096, 32256, 0x0000
2, 500000, 0, 8192, 1, 0x0000
";

pub const VSCSI_TEXT: &str = "\
#Vscsi Cmd Trace. (Trace Format Version 1)
#Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)
2147483692,4096,1,write,24048792,2756778716647
2147483769,512,1,read,63,2756783857269
";

pub const MSR: &str = "\
128166372003061629,hm,1,Read,383496192,32768,2500
128166372016382155,hm,1,Write,32256,4096,3917
";

pub const ALIBABA: &str = "\
0,R,126703644672,4096,1577808000000626
419,W,32256,8192,1577808000000700
";

pub const TENCENT: &str = "\
1538323200,12910952,128,0,1063
1538323201,63,8,1,1064
";

pub const CYDONIA: &str = "\
5633898611,42932745,w,512
5633898999,63,r,6656
";

pub const SYSTOR: &str = "\
Timestamp,Response,IOType,LUN,Offset,Size
1456095145.133076000,0.000806000,R,0,899056122368,131072
1456095145.233076000,,,3,0,0
1456095145.333076000,0.001,W,3,32256,4096
";

pub const SPC: &str = "\
0,303567,3584,w,0.000000
1,63,4096,R,0.026214,extra
";

pub const FIU: &str = "\
89966104454294 4892 web server 1 904265560 8 W 6 0 531e779ad00b29128c3a5cc4ce3c7c4c
89966104454295 4893 fio 63 8 R 8 16 531e779ad00b29128c3a5cc4ce3c7c4c
";

pub const MQSIM: &str = "\
1000 0 63 8 0
2500 1 4096 8 1
";

pub const DISKSIM: &str = "\
0.500 0 63 8 0
13.191135 30 4096 5 1
";

pub const CSV: &str = "\
time_us,pid,rw,offset_bytes,size,latency_ms,dev
10,7,R,32256,4096,0.25,sda
20,7,\"W\",0,512,,\"sd,b\"
";

/// Enough rows to tell bytes from sectors.
pub fn replayer() -> String {
    let row = |n: u32| format!("{n}.25 0 {} 4096 {}\n", n * 512, n % 2);
    (0..64).map(row).collect()
}

fn blktrace_record(act: u32, category: u32, time: u64) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(0x6561_7407_u32.to_le_bytes());
    out.extend(0_u32.to_le_bytes());
    out.extend(time.to_le_bytes());
    out.extend(63_u64.to_le_bytes());
    for word in [4096, act | category << 16, 42, 8 << 20 | 16, 1] {
        out.extend(u32::to_le_bytes(word));
    }
    out.extend([0; 4]);
    out
}

/// An issue and a completion.
pub fn blktrace() -> Vec<u8> {
    [blktrace_record(7, 2, 5), blktrace_record(8, 2, 1005)].concat()
}

/// The same with the context of ftrace, and events that were lost between.
pub fn ftrace_blk() -> Vec<u8> {
    let context = |cpu: u32| [42_u32.to_le_bytes(), cpu.to_le_bytes(), [9; 4], [9; 4]].concat();
    [
        context(0),
        blktrace_record(7, 2, 5),
        b"CPU:1 [LOST 3 EVENTS]\n".to_vec(),
        context(1),
        blktrace_record(8, 2, 1005),
    ]
    .concat()
}

/// A write and a cache flush.
pub fn vscsi1() -> Vec<u8> {
    let record = |command: u16, block: u64, time: u64| {
        let mut out = Vec::new();
        for word in [7_u32, 4096, 1] {
            out.extend(word.to_le_bytes());
        }
        out.extend(command.to_le_bytes());
        out.extend(0x0100_u16.to_le_bytes());
        out.extend(block.to_le_bytes());
        out.extend(time.to_le_bytes());
        out
    };
    [
        record(0x2a, 63, 10),
        record(0x88, 8, 11),
        record(0x35, 0, 12),
    ]
    .concat()
}

/// A read with its response time.
pub fn vscsi2() -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(0x28_u16.to_le_bytes());
    out.extend(0x0201_u16.to_le_bytes());
    for word in [7_u32, 4096, 1] {
        out.extend(word.to_le_bytes());
    }
    for long in [63_u64, 10, 250] {
        out.extend(long.to_le_bytes());
    }
    out
}

/// Sixteen requests of eight sectors, two of each object.
pub fn oracle_general() -> Vec<u8> {
    let request = |n: u32| {
        let next = if n < 8 { i64::from(n) + 8 } else { -1 };
        let mut out = (1_538_323_200 + n / 4).to_le_bytes().to_vec();
        out.extend((63 + u64::from(n % 8) * 8).to_le_bytes());
        out.extend(4096_u32.to_le_bytes());
        out.extend(next.to_le_bytes());
        out
    };
    (0..16).flat_map(request).collect()
}

/// All of them.
pub fn all() -> Vec<Sample> {
    let plain = |format, text: &str| Sample {
        format,
        hints: Hints::default(),
        bytes: text.as_bytes().to_vec(),
    };
    let binary = |format, bytes| Sample {
        format,
        hints: Hints::default(),
        bytes,
    };
    let unit = |format, text: &str, unit| Sample {
        hints: offset_unit(unit),
        ..plain(format, text)
    };
    vec![
        binary("blktrace", blktrace()),
        binary("ftrace-blk", ftrace_blk()),
        plain("blkparse", BLKPARSE),
        plain("ftrace", FTRACE),
        plain("perf", PERF),
        plain("biosnoop", BIOSNOOP),
        unit("blkalgn", BLKALGN, 4096),
        plain("bpftrace", BPFTRACE),
        plain("fio-iolog2", IOLOG2),
        plain("fio-iolog3", IOLOG3),
        plain("fio-lat", FIO_LAT),
        binary("vscsi1", vscsi1()),
        binary("vscsi2", vscsi2()),
        plain("vscsi-text", VSCSI_TEXT),
        plain("msr", MSR),
        plain("alibaba", ALIBABA),
        plain("tencent", TENCENT),
        plain("cydonia", CYDONIA),
        Sample {
            hints: offset_unit(512),
            ..binary("oraclegeneral", oracle_general())
        },
        plain("systor17", SYSTOR),
        plain("spc", SPC),
        plain("fiu", FIU),
        plain("mqsim", MQSIM),
        plain("disksim", DISKSIM),
        plain("replayer", &replayer()),
        unit("csv", CSV, 1),
    ]
}

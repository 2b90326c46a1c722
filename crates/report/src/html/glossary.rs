//! The terms that occur on the page, for someone who has never heard of alignment.

/// A term: what makes it occur (in lower case), and what it means.
struct GlossaryTerm {
    name: &'static str,
    signs: &'static [&'static str],
    meaning: &'static str,
}

const TERMS: [GlossaryTerm; 27] = [
    GlossaryTerm {
        name: "Boundary, grid",
        signs: &["boundar"],
        meaning: "Storage is divided into equal blocks, like a ruler into marks. A boundary is a \
                  mark; all marks of one ruler are a grid. Data that start on a mark are aligned.",
    },
    GlossaryTerm {
        name: "Past a boundary (phase, remainder)",
        signs: &[" past a "],
        meaning: "How far behind the last mark something starts: the start divided by the block \
                  size, and what remains. 0 is right. 32256 = 7 × 4096 + 3584, so sector 63 is \
                  3584 bytes past a 4 KiB boundary.",
    },
    GlossaryTerm {
        name: "Straddle, cross a boundary",
        signs: &["cross a boundary", "crossing", "touch two", "straddl"],
        meaning: "A request that would fit in one block but lies over the mark between two: both \
                  blocks must work for it.",
    },
    GlossaryTerm {
        name: "Read-modify-write",
        signs: &["read-modify-write"],
        meaning: "A device can only write whole blocks. To change a part of one it reads the \
                  block, changes it in memory and writes it back: two or three steps instead of one.",
    },
    GlossaryTerm {
        name: "Sector, logical sector",
        signs: &["sector"],
        meaning: "The unit in which addresses are counted, mostly 512 bytes. It says nothing of \
                  how large the blocks are that the device really writes.",
    },
    GlossaryTerm {
        name: "Physical block",
        signs: &["physical block"],
        meaning: "The smallest piece that a disk really writes: 4 KiB on nearly every disk since \
                  2011, even where it still counts in sectors of 512 bytes (\"512e\").",
    },
    GlossaryTerm {
        name: "Stripe unit, chunk",
        signs: &["stripe unit", "chunk", "array block", "array element"],
        meaning: "An array spreads data over several disks in pieces of this size: the first piece \
                  on one disk, the next on another.",
    },
    GlossaryTerm {
        name: "Full stripe",
        signs: &["full stripe", "full-stripe"],
        meaning: "One chunk on each disk that holds data. With parity (RAID 5 and 6) a write of \
                  exactly one stripe needs no reading; anything less does.",
    },
    GlossaryTerm {
        name: "Stripe cache page",
        signs: &["stripe cache page"],
        meaning: "Linux software RAID with parity works in pages of 4 KiB on any disks.",
    },
    GlossaryTerm {
        name: "Indirection unit",
        signs: &["indirection"],
        meaning: "The granule in which an SSD keeps track of where data lie: often 4 KiB, on large \
                  drives 16 or 64 KiB. Less than one is read-modify-write inside the drive.",
    },
    GlossaryTerm {
        name: "Erase block",
        signs: &["erase block"],
        meaning: "The piece of flash that can only be erased as a whole, of some MiB.",
    },
    GlossaryTerm {
        name: "Optimal I/O size",
        signs: &["optimal i/o"],
        meaning: "The size that a device reports as best. Many devices report a wrong value, so \
                  it is checked before it is used.",
    },
    GlossaryTerm {
        name: "1 MiB convention",
        signs: &["habit"],
        meaning: "Partitions have started at whole MiB since 2009, because that suits every common \
                  block size. A start off it is not a defect by itself.",
    },
    GlossaryTerm {
        name: "Assumed",
        signs: &["assumed"],
        meaning: "No device and no file states it. A virtual disk or image does not know the \
                  storage below, so the usual value is assumed; --grid names the real one.",
    },
    GlossaryTerm {
        name: "Partition",
        signs: &["partition"],
        meaning: "A part of a disk, with a start and an end in sectors. Old tools began the first \
                  one at sector 63, which is on no boundary.",
    },
    GlossaryTerm {
        name: "Extent, LVM physical and logical volume",
        signs: &["lvm", "logical volume"],
        meaning: "LVM divides disks (physical volumes) into extents, mostly of 4 MiB, and builds \
                  volumes from them. Where the first extent starts decides for all of them.",
    },
    GlossaryTerm {
        name: "Thin pool",
        signs: &["thin pool", "thin chunk"],
        meaning: "Volumes that take space only when it is written, chunk by chunk.",
    },
    GlossaryTerm {
        name: "Host block",
        signs: &["host block"],
        meaning: "The block of the file system or device on which an image file lies.",
    },
    GlossaryTerm {
        name: "Image, dynamic image",
        signs: &["vhd", "vmdk", "qcow", "vdi", "image"],
        meaning: "A file that is a disk for a virtual machine. Formats that grow on demand keep \
                  tables of their own between the data, which may push them off every boundary.",
    },
    GlossaryTerm {
        name: "Cluster",
        signs: &["cluster"],
        meaning: "The piece in which a file system or image format allocates space.",
    },
    GlossaryTerm {
        name: "Data region",
        signs: &["data region"],
        meaning: "Where a file system keeps the contents of files, behind its own tables. It may \
                  start off a boundary even when its partition starts on one.",
    },
    GlossaryTerm {
        name: "Stripe width of a file system",
        signs: &["made for stripe"],
        meaning: "XFS and ext4 can store the geometry of the array below (sunit and swidth, stride \
                  and stripe-width) and then place large files accordingly.",
    },
    GlossaryTerm {
        name: "ashift",
        signs: &["ashift"],
        meaning: "The block size of a ZFS device as a power of two: 9 is 512 bytes, 12 is 4 KiB.",
    },
    GlossaryTerm {
        name: "Swap",
        signs: &["swap"],
        meaning: "Where memory is moved when there is too little of it. It can be created again \
                  without losing data.",
    },
    GlossaryTerm {
        name: "Torn page",
        signs: &["torn"],
        meaning: "A database page of which a crash has left one half new and one half old.",
    },
    GlossaryTerm {
        name: "Boot loader area, EFI system partition, Microsoft reserved",
        signs: &["boot loader area", "efi system", "microsoft reserved"],
        meaning: "Small partitions for starting the machine. No workload writes there, so where \
                  they start costs nothing.",
    },
    GlossaryTerm {
        name: "Fixed in place",
        signs: &["fixed in place"],
        meaning: "Whether it can be put right on the same device, or only by copying the data \
                  to a place that was made right.",
    },
];

/// The terms that `body` uses.
pub fn put(out: &mut String, body: &str) {
    let body = body.to_lowercase();
    let used: Vec<_> = TERMS
        .iter()
        .filter(|term| term.signs.iter().any(|sign| body.contains(sign)))
        .collect();
    if used.is_empty() {
        return;
    }
    out.push_str("<section class=\"glossary\">\n<h2>The words used here</h2>\n<dl>\n");
    for term in used {
        out.push_str(&format!(
            "<dt>{}</dt><dd>{}</dd>\n",
            term.name, term.meaning
        ));
    }
    out.push_str("</dl>\n</section>\n");
}

//! ESXi: partedUtil and esxcli.

use ioalign_core::Role;
use ioalign_core::TableKind;

use super::{at, read, said};

#[test]
fn parted_util_on_a_gpt_and_an_mbr() {
    let text = "~ # partedUtil getptbl /vmfs/devices/disks/naa.600508b1001c1337\ngpt\n60801 255 63 976773168\n\
        1 2048 976768064 AA31E02A400F11DB9590000C2911D1B8 vmfs 0\n~ # \
        partedUtil getptbl \"/vmfs/devices/disks/mpx.vmhba1:C0:T0:L0\"\nmsdos\n1044 255 63 16777216\n\
        1 63 16771859 251 0\n";
    let evidence = read(text);
    let first = said(&evidence, "naa.600508b1001c1337:1");
    assert_eq!((first.start, first.role), (at(2048), Some(Role::Vmfs)));
    assert_eq!(first.parents, ["naa.600508b1001c1337"]);
    let second = said(&evidence, "mpx.vmhba1:C0:T0:L0:1");
    assert_eq!((second.start, second.role), (at(63), Some(Role::Vmfs)));
    assert_eq!(second.type_id.as_deref(), Some("fb"));
    assert_eq!(
        said(&evidence, "mpx.vmhba1:C0:T0:L0")
            .table
            .map(TableKind::name),
        Some("dos")
    );
}

#[test]
fn parted_util_without_its_command() {
    let evidence = read(
        "gpt\n60801 255 63 976773168\n1 34 976768064 AA31E02A400F11DB9590000C2911D1B8 vmfs 0\n",
    );
    assert_eq!(evidence.read, ["partedUtil getptbl"]);
    assert_eq!(said(&evidence, "disk:1").start, at(34));
    let evidence =
        read("# partedUtil get /dev/disks/naa.5\n60801 255 63 976773168\n3 128 976768064 0 0\n");
    assert_eq!(said(&evidence, "naa.5:3").start, at(128));
    assert_eq!(said(&evidence, "naa.5:3").type_id, None);
}

#[test]
fn esxcli_lists_all_disks() {
    let text = "Device        Partition  Start Sector  End Sector  Type          Size\n\
        ------------  ---------  ------------  ----------  ----  ------------\n\
        naa.6001               0             0   976773168     0  500107862016\n\
        naa.6001               1           128   976768065    fb  500105183744\n";
    let evidence = read(text);
    assert_eq!(said(&evidence, "naa.6001:1").start, at(128));
    assert_eq!(said(&evidence, "naa.6001:1").role, Some(Role::Vmfs));
    assert_eq!(
        said(&evidence, "naa.6001").size.unwrap().low,
        500_107_862_016
    );
}

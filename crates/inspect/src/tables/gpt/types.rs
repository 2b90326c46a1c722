//! GPT type GUIDs: names and roles. Sources: UEFI specification, Microsoft `diskpart`, the
//! Discoverable Partitions Specification, VMware, illumos `efi_partition.h`, FreeBSD `gpt.h`.

use ioalign_core::Role;

/// Microsoft LDM metadata: holds the database of dynamic disks.
pub const LDM_METADATA: &str = "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3";
/// Microsoft LDM data: holds the dynamic volumes.
pub const LDM_DATA: &str = "AF9B60A0-1431-4F62-BC68-3311714A69AD";
/// Storage Spaces.
pub const STORAGE_SPACES: &str = "E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D";

/// Name and role of a type; an unknown one holds data.
pub fn known(guid: &str) -> (&'static str, Role) {
    KNOWN
        .iter()
        .find(|(known, _, _)| *known == guid)
        .map_or(("", Role::Data), |(_, name, role)| (*name, *role))
}

#[rustfmt::skip]
const KNOWN: &[(&str, &str, Role)] = &[
    ("C12A7328-F81F-11D2-BA4B-00A0C93EC93B", "EFI system", Role::Esp),
    ("0FC63DAF-8483-4772-8E79-3D69D8477DE4", "Linux file system", Role::Data),
    ("EBD0A0A2-B9E5-4433-87C0-68B6B72699C7", "Microsoft basic data", Role::Data),
    ("E3C9E316-0B5C-4DB8-817D-F92DF00215AE", "Microsoft reserved", Role::Msr),
    ("21686148-6449-6E6F-744E-656564454649", "BIOS boot", Role::BiosBoot),
    ("024DEE41-33E7-11D3-9D69-0008C781F39F", "MBR partition scheme", Role::Data),
    ("BC13C2FF-59E6-4262-A352-B275FD6F7172", "Linux extended boot", Role::Data),
    // Microsoft
    (LDM_METADATA, "Microsoft LDM metadata", Role::Reserved),
    (LDM_DATA, "Microsoft LDM data", Role::Data),
    (STORAGE_SPACES, "Microsoft Storage Spaces", Role::Data),
    ("DE94BBA4-06D1-4D40-A16A-BFD50179D6AC", "Windows recovery", Role::Data),
    ("558D43C5-A1AC-43C0-AAC8-D1472B2923D1", "Microsoft Storage Replica", Role::Data),
    // Linux
    ("0657FD6D-A4AB-43C4-84E5-0933C84B4F4F", "Linux swap", Role::Swap),
    ("E6D6D379-F507-44C2-A23C-238F2A3DF928", "Linux LVM", Role::Data),
    ("A19D880F-05FC-4D3B-A006-743F0F84911E", "Linux RAID", Role::Data),
    ("8DA63339-0007-60C0-C436-083AC8230908", "Linux reserved", Role::Reserved),
    ("4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709", "Linux root (x86-64)", Role::Data),
    ("44479540-F297-41B2-9AF7-D131D5F0458A", "Linux root (x86)", Role::Data),
    ("B921B045-1DF0-41C3-AF44-4C6F280D3FAE", "Linux root (ARM64)", Role::Data),
    ("69DAD710-2CE4-4E3C-B16C-21A1D49ABED3", "Linux root (ARM)", Role::Data),
    ("8484680C-9521-48C6-9C11-B0720656F69E", "Linux /usr (x86-64)", Role::Data),
    ("933AC7E1-2EB4-4F13-B844-0E14E2AEF915", "Linux home", Role::Data),
    ("3B8F8425-20E0-4F3B-907F-1A25A76F98E8", "Linux server data", Role::Data),
    ("4D21B016-B534-45C2-A9FB-5C16E091FD2D", "Linux variable data", Role::Data),
    ("7EC6F557-3BC5-4ACA-B293-16EF5DF639D1", "Linux temporary data", Role::Data),
    ("2C7357ED-EBD2-46D9-AEC1-23D437EC2BF5", "Linux root verity (x86-64)", Role::Data),
    ("77FF5F63-E7B6-4633-ACF4-1565B864C0E6", "Linux /usr verity (x86-64)", Role::Data),
    ("41092B05-9FC8-4523-994F-2DEF0408B176", "Linux root verity signature (x86-64)", Role::Data),
    ("E7BB33FB-06CF-4E81-8273-E543B413E2E2", "Linux /usr verity signature (x86-64)", Role::Data),
    ("CA7D7CCB-63ED-4C53-861C-1742536059CC", "LUKS", Role::Data),
    ("7FFEC5C9-2D00-49B7-8941-3EA10A5586B7", "dm-crypt", Role::Data),
    ("9E1A2D38-C612-4316-AA26-8B49521E5A8B", "PReP boot", Role::BiosBoot),
    ("45B0969E-9B03-4F30-B4C6-B4B80CEFF106", "Ceph journal", Role::Data),
    ("4FBD7E29-9D25-41B8-AFD0-062C0CEFF05D", "Ceph OSD", Role::Data),
    ("CAFECAFE-9B03-4F30-B4C6-B4B80CEFF106", "Ceph block", Role::Data),
    ("30CD0809-C2B2-499C-8879-2D6B78529876", "Ceph block DB", Role::Data),
    ("5CE17FCE-4087-4169-B7FF-056CC58473F9", "Ceph block WAL", Role::Data),
    // VMware
    ("AA31E02A-400F-11DB-9590-000C2911D1B8", "VMware VMFS", Role::Vmfs),
    ("9198EFFC-31C0-11DB-8F78-000C2911D1B8", "VMware reserved", Role::Reserved),
    ("9D275380-40AD-11DB-BF97-000C2911D1B8", "VMware VMkernel core dump", Role::Reserved),
    ("381CFCCC-7288-11E0-92EE-000C2911D0B2", "VMware vSAN", Role::Data),
    ("4EB2EA39-7855-4790-A79E-FAE495E21F8D", "VMware VMFS-L", Role::Data),
    // Apple
    ("48465300-0000-11AA-AA11-00306543ECAC", "Apple HFS+", Role::Data),
    ("7C3457EF-0000-11AA-AA11-00306543ECAC", "Apple APFS", Role::Data),
    ("55465300-0000-11AA-AA11-00306543ECAC", "Apple UFS", Role::Data),
    ("52414944-0000-11AA-AA11-00306543ECAC", "Apple RAID", Role::Data),
    ("426F6F74-0000-11AA-AA11-00306543ECAC", "Apple boot", Role::Data),
    ("53746F72-6167-11AA-AA11-00306543ECAC", "Apple Core Storage", Role::Data),
    ("69646961-6700-11AA-AA11-00306543ECAC", "Apple APFS preboot", Role::Data),
    ("52637672-7900-11AA-AA11-00306543ECAC", "Apple APFS recovery", Role::Data),
    // Solaris and illumos; ZFS on every system uses the /usr type
    ("6A82CB45-1DD2-11B2-99A6-080020736631", "Solaris boot", Role::Data),
    ("6A85CF4D-1DD2-11B2-99A6-080020736631", "Solaris root", Role::Data),
    ("6A898CC3-1DD2-11B2-99A6-080020736631", "Solaris /usr or ZFS", Role::Data),
    ("6A87C46F-1DD2-11B2-99A6-080020736631", "Solaris swap", Role::Swap),
    ("6A8B642B-1DD2-11B2-99A6-080020736631", "Solaris backup", Role::WholeDisk),
    ("6A8EF2E9-1DD2-11B2-99A6-080020736631", "Solaris /var", Role::Data),
    ("6A90BA39-1DD2-11B2-99A6-080020736631", "Solaris home", Role::Data),
    ("6A9283A5-1DD2-11B2-99A6-080020736631", "Solaris alternate sector", Role::Reserved),
    ("6A945A3B-1DD2-11B2-99A6-080020736631", "Solaris reserved (slice 8)", Role::Reserved),
    // BSD
    ("516E7CB4-6ECF-11D6-8FF8-00022D09712B", "FreeBSD disklabel", Role::Data),
    ("83BD6B9D-7F41-11DC-BE0B-001560B84F0F", "FreeBSD boot", Role::BiosBoot),
    ("516E7CB5-6ECF-11D6-8FF8-00022D09712B", "FreeBSD swap", Role::Swap),
    ("516E7CB6-6ECF-11D6-8FF8-00022D09712B", "FreeBSD UFS", Role::Data),
    ("516E7CB8-6ECF-11D6-8FF8-00022D09712B", "FreeBSD Vinum", Role::Data),
    ("516E7CBA-6ECF-11D6-8FF8-00022D09712B", "FreeBSD ZFS", Role::Data),
    ("74BA7DD9-A689-11E1-BD04-00E081286ACF", "FreeBSD NANDFS", Role::Data),
    ("49F48D32-B10E-11DC-B99B-0019D1879648", "NetBSD swap", Role::Swap),
    ("49F48D5A-B10E-11DC-B99B-0019D1879648", "NetBSD FFS", Role::Data),
    ("49F48D82-B10E-11DC-B99B-0019D1879648", "NetBSD LFS", Role::Data),
    ("49F48DAA-B10E-11DC-B99B-0019D1879648", "NetBSD RAID", Role::Data),
    ("2DB519C4-B10F-11DC-B99B-0019D1879648", "NetBSD concatenated", Role::Data),
    ("2DB519EC-B10F-11DC-B99B-0019D1879648", "NetBSD encrypted", Role::Data),
    ("824CC7A0-36A8-11E3-890A-952519AD3F61", "OpenBSD", Role::Data),
    // ChromeOS
    ("FE3A2A5D-4F32-41A7-B725-ACCC3285A309", "ChromeOS kernel", Role::Data),
    ("3CB8E202-3B7E-47DD-8A3C-7FF2A13CFCEC", "ChromeOS root", Role::Data),
    ("CAB6E88E-ABF3-4102-A07A-D4BB9BE3C1D3", "ChromeOS firmware", Role::Reserved),
    ("2E0A753D-9E48-43B0-8337-B15192CB1B5E", "ChromeOS reserved", Role::Reserved),
    ("5DFBF5F4-2848-4BAC-AA5E-0D9A20B745A6", "CoreOS /usr", Role::Data),
    ("3884DD41-8582-4404-B9A8-E9B84F2DF50E", "CoreOS root", Role::Data),
    // Others
    ("42465331-3BA3-10F1-802A-4861696B7521", "Haiku BFS", Role::Data),
    ("37AFFC90-EF7D-4E96-91C3-2D7AE055B174", "IBM GPFS", Role::Data),
    ("75894C1E-3AEB-11D3-B7C1-7B03A0000000", "HP-UX data", Role::Data),
    ("E2A1E728-32E3-11D6-A682-7B03A0000000", "HP-UX service", Role::Reserved),
    ("F4019732-066E-4E12-8273-346C5641494F", "Sony boot", Role::Data),
    ("BFBFAFE7-A34F-448A-9A5B-6213EB736C22", "Lenovo boot", Role::Data),
    ("D3BFE2DE-3DAF-11DF-BA40-E3A556D89593", "Intel Rapid Start", Role::Reserved),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guid_is_one_and_stands_once() {
        for (i, (guid, name, _)) in KNOWN.iter().enumerate() {
            let parts: Vec<_> = guid.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{guid}");
            assert!(
                guid.chars()
                    .all(|c| c == '-' || c.is_ascii_hexdigit() && !c.is_ascii_lowercase())
            );
            assert!(!name.is_empty());
            assert!(
                KNOWN.iter().skip(i + 1).all(|(other, _, _)| other != guid),
                "{guid}"
            );
        }
    }
}

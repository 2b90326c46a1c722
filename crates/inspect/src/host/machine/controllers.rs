//! Storage controllers on the PCI bus: class, name and driver.
//!
//! Names are those of the machine's own `pci.ids`, where it has one; else the numbers stand alone.

use crate::host::root::Root;

/// More functions than any machine has.
const MOST: usize = 4096;
/// The base class of storage; the byte after it says which (PCI Code and ID Assignment, § 1.2).
const STORAGE: &str = "01";
/// Where distributions keep the list.
const LISTS: [&str; 3] = [
    "usr/share/misc/pci.ids",
    "usr/share/hwdata/pci.ids",
    "usr/share/pci.ids",
];

/// One line a controller, in the order of the bus.
pub(super) fn list(root: &Root) -> Vec<String> {
    let functions = root.list("sys/bus/pci/devices");
    let found = functions.iter().take(MOST).filter_map(|one| {
        let attr = |name: &str| root.attr(&format!("sys/bus/pci/devices/{one}/{name}"));
        let hex = |name: &str| attr(name)?.strip_prefix("0x").map(str::to_owned);
        let class = hex("class")?;
        let kind = kind(&class)?;
        let driver = root.link_name(&format!("sys/bus/pci/devices/{one}/driver"));
        Some((kind, hex("vendor")?, hex("device")?, driver))
    });
    let found: Vec<_> = found.collect();
    // A megabyte of text, for nothing where there is no controller.
    let names = if found.is_empty() {
        String::new()
    } else {
        let mut lists = LISTS.iter().filter_map(|path| root.text(path).ok());
        lists.next().unwrap_or_default()
    };
    let lines = found.into_iter().map(|(kind, vendor, device, driver)| {
        let name = name(&names, &vendor, &device).unwrap_or_else(|| format!("{vendor}:{device}"));
        let driver = driver.map_or_else(String::new, |driver| format!(" ({driver})"));
        format!("{kind}: {name}{driver}")
    });
    lines.collect()
}

/// `None` for what is no storage controller.
fn kind(class: &str) -> Option<&'static str> {
    let sub = class.strip_prefix(STORAGE)?;
    Some(match sub.get(..2)? {
        "00" => "SCSI",
        "01" => "IDE",
        "04" => "RAID",
        "05" => "ATA",
        "06" => "SATA",
        "07" => "SAS",
        "08" => "NVMe",
        _ => "storage",
    })
}

/// Vendor lines begin at the margin, device lines behind one tab, those of subsystems behind two.
fn name(list: &str, vendor: &str, device: &str) -> Option<String> {
    let mut lines = list.lines();
    let maker = lines.find_map(|line| line.strip_prefix(vendor)?.strip_prefix("  "))?;
    let devices = lines.take_while(|line| line.starts_with(['\t', '#']) || line.is_empty());
    let model = devices
        .filter_map(|line| line.strip_prefix('\t'))
        .find_map(|line| line.strip_prefix(device)?.strip_prefix("  "));
    Some(match model {
        Some(model) => format!("{} {}", maker.trim(), model.trim()),
        None => format!("{} {device}", maker.trim()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# a comment\n1000  Broadcom / LSI\n\t005d  MegaRAID SAS-3 3108 [Invader]\n\
                        \t\t1000 9361  MegaRAID SAS 9361-8i\n1af4  Red Hat, Inc.\n\t1042  Virtio 1.0 block device\n";

    #[test]
    fn names_come_from_the_list() {
        let found = |vendor, device| name(LIST, vendor, device);
        assert_eq!(
            found("1000", "005d").as_deref(),
            Some("Broadcom / LSI MegaRAID SAS-3 3108 [Invader]")
        );
        assert_eq!(
            found("1000", "1042").as_deref(),
            Some("Broadcom / LSI 1042")
        );
        assert_eq!(found("9361", "1000"), None);
    }

    #[test]
    fn only_storage_is_a_controller() {
        assert_eq!(kind("010400"), Some("RAID"));
        assert_eq!(kind("018000"), Some("storage"));
        assert_eq!(kind("020000"), None);
        assert_eq!(kind("01"), None);
    }
}

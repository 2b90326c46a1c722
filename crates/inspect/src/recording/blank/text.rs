//! Files of which `check` wants a few lines: the others are left out, and with them what changes from
//! one minute to the next.

use super::{Blanked, count};

/// Properties of udev that readers want.
const UDEV: [&str; 4] = [
    "E:ID_PART_ENTRY_TYPE=",
    "E:ID_PART_ENTRY_SCHEME=",
    "E:ID_PART_ENTRY_NAME=",
    "E:ID_FS_TYPE=",
];
/// One that they show, and that tells one disk from all others in the world.
const UDEV_ID: &str = "E:ID_PART_ENTRY_UUID=";
/// Options of a mount that hold a name or a password.
const CREDENTIALS: [&str; 7] = [
    "password",
    "pass",
    "username",
    "user",
    "credentials",
    "cred",
    "key",
];
/// Arguments of device-mapper's integrity target that end in a key.
const KEYED: [&str; 3] = ["internal_hash:", "journal_crypt:", "journal_mac:"];

/// Keeps of a file what readers of it want.
pub(super) fn filter(path: &str, bytes: &mut Vec<u8>, with_serials: bool, blanked: &mut Blanked) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let keep: &dyn Fn(&str) -> Option<String> = match name {
        "uevent" => &|line| kept(line, line.starts_with("PARTNAME=")),
        "cpuinfo" => &cpu,
        "meminfo" => &|line| kept(line, line.starts_with("MemTotal:")),
        "mountinfo" => &mount,
        "swaps" => &swap,
        "dm-table" => &|line| Some(table(line)),
        _ if path.starts_with("run/udev/data/") => &|line| {
            let wanted = UDEV.iter().any(|key| line.starts_with(key));
            kept(line, wanted || (with_serials && line.starts_with(UDEV_ID)))
        },
        _ if name.ends_with(".cnf") => &|line| kept(line, line.contains("innodb_doublewrite")),
        _ => return,
    };
    let text = String::from_utf8_lossy(bytes).into_owned();
    let lines: Vec<String> = text.lines().filter_map(keep).collect();
    if lines.len() != text.lines().count() {
        count(
            blanked,
            "lines that are not read (udev, mounts, processors, my.cnf)",
        );
    }
    *bytes = lines
        .iter()
        .flat_map(|line| [line, "\n"])
        .collect::<String>()
        .into_bytes();
}

fn kept(line: &str, wanted: bool) -> Option<String> {
    wanted.then(|| line.to_owned())
}

/// The number and model of a processor; of its flags only the one that tells of a hypervisor.
fn cpu(line: &str) -> Option<String> {
    let (key, value) = line.split_once(':')?;
    match key.trim() {
        "processor" | "model name" => Some(line.to_owned()),
        "flags" => {
            let virtual_ = value.split_whitespace().any(|flag| flag == "hypervisor");
            Some(format!(
                "{key}:{}",
                if virtual_ { " hypervisor" } else { "" }
            ))
        }
        _ => None,
    }
}

/// Mounts of block devices, without what their options say about users.
fn mount(line: &str) -> Option<String> {
    let (front, back) = line.split_once(" - ")?;
    let major = front.split(' ').nth(2)?.split(':').next()?;
    let source = back.split(' ').nth(1)?;
    if major == "0" && !source.starts_with("/dev/") {
        return None;
    }
    let word = |word: &str| word.split(',').map(option).collect::<Vec<_>>().join(",");
    Some(line.split(' ').map(word).collect::<Vec<_>>().join(" "))
}

fn option(option: &str) -> String {
    match option.split_once('=') {
        Some((key, _)) if CREDENTIALS.contains(&key) => format!("{key}=blanked"),
        _ => option.to_owned(),
    }
}

/// How much of it is used changes all the time.
fn swap(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [path, kind, size, used, ..] if used.parse::<u64>().is_ok() => {
            Some(format!("{path} {kind} {size} 0 0"))
        }
        _ => Some(line.to_owned()),
    }
}

/// A table that someone saved with its keys.
fn table(line: &str) -> String {
    let mut words: Vec<String> = line.split(' ').map(keyless).collect();
    // `name: start length crypt cipher KEY …`
    let crypt = words.iter().position(|word| word == "crypt");
    if let Some(key) = crypt.and_then(|at| words.get_mut(at + 2)) {
        "-".clone_into(key);
    }
    words.join(" ")
}

fn keyless(word: &str) -> String {
    match word.splitn(3, ':').collect::<Vec<_>>().as_slice() {
        [name, algorithm, _] if KEYED.iter().any(|keyed| word.starts_with(keyed)) => {
            format!("{name}:{algorithm}")
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(path: &str, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        filter(path, &mut bytes, false, &mut Blanked::new());
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_is_not_read_is_left_out() {
        let udev =
            "S:disk/by-id/x\nE:ID_SERIAL=planted\nE:ID_FS_TYPE=ext4\nE:ID_PART_ENTRY_UUID=p\n";
        assert_eq!(filtered("run/udev/data/b8:1", udev), "E:ID_FS_TYPE=ext4\n");
        let uevent = "MAJOR=8\nPARTNAME=root\n";
        assert_eq!(filtered("sys/x/uevent", uevent), "PARTNAME=root\n");
        let cpu = "processor\t: 0\nmodel name\t: A\nflags\t\t: fpu hypervisor\ncpu MHz\t: 1\nSerial\t: 9\n";
        let kept = "processor\t: 0\nmodel name\t: A\nflags\t\t: hypervisor\n";
        assert_eq!(filtered("proc/cpuinfo", cpu), kept);
        assert_eq!(
            filtered("etc/my.cnf", "password=x\ninnodb_doublewrite=0\n"),
            "innodb_doublewrite=0\n"
        );
        assert_eq!(filtered("sys/x/size", "8\n"), "8\n");
    }

    #[test]
    fn mounts_have_no_passwords() {
        let share = "40 35 0:50 / /mnt rw - cifs //server/share rw,password=planted";
        let disk = "36 35 8:1 / /srv rw - fuseblk /dev/sda1 rw,username=planted,allow_other";
        let text = filtered("proc/self/mountinfo", &format!("{share}\n{disk}\n"));
        assert_eq!(text, format!("{}\n", disk.replace("planted", "blanked")));
    }

    #[test]
    fn tables_have_no_keys_and_swaps_no_use() {
        let text = "c: 0 8 crypt aes-xts c0ffee 0 8:1 0\ni: 0 8 integrity 8:1 0 4 J 1 internal_hash:hmac(sha256):c0ffee\n";
        let after = "c: 0 8 crypt aes-xts - 0 8:1 0\ni: 0 8 integrity 8:1 0 4 J 1 internal_hash:hmac(sha256)\n";
        assert_eq!(filtered("ioalign/dm-table", text), after);
        let swaps = "Filename Type Size Used Priority\n/dev/sda2 partition 1024 77 -2\n";
        let after = "Filename Type Size Used Priority\n/dev/sda2 partition 1024 0 0\n";
        assert_eq!(filtered("proc/swaps", swaps), after);
    }
}

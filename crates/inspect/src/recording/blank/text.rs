//! Files of which `check` wants a few lines: the others are left out, and with them what changes from
//! one minute to the next.

use super::{Blanked, count};
use crate::host::{DevNo, dm};

/// Properties of udev that readers want.
const UDEV: [&str; 4] = [
    "E:ID_PART_ENTRY_TYPE=",
    "E:ID_PART_ENTRY_SCHEME=",
    "E:ID_PART_ENTRY_NAME=",
    "E:ID_FS_TYPE=",
];
/// One that they show, and that distinguishes one disk from all others in the world.
const UDEV_ID: &str = "E:ID_PART_ENTRY_UUID=";
/// Options of a mount whose values stay: sizes and modes. Those of any other may be a name or a password.
const OPTIONS: [&str; 14] = [
    "stripe",
    "sunit",
    "swidth",
    "logbsize",
    "allocsize",
    "blksize",
    "data",
    "errors",
    "commit",
    "discard",
    "compress",
    "compress-force",
    "space_cache",
    "subvolid",
];
/// Longest value of these, and longest option without one.
const LONGEST_OPTION: usize = 32;
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
        _ if name.ends_with(".cnf") => &doublewrite,
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

/// An option of MySQL's configuration that is read, if its value is one word; comments go.
fn doublewrite(line: &str) -> Option<String> {
    let line = line.split(['#', ';']).next()?.trim();
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    let (key, value) = (key.trim(), value.trim().trim_matches(['"', '\'']));
    let option = key.to_ascii_lowercase().replace('-', "_");
    let known = option.strip_prefix("loose_").unwrap_or(&option);
    let known = known.strip_prefix("skip_").unwrap_or(known) == "innodb_doublewrite";
    let word = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (known && word && value.len() <= LONGEST_OPTION).then(|| match value {
        "" => key.to_owned(),
        value => format!("{key}={value}"),
    })
}

/// The number and model of a processor; of its flags only the one that speaks of a hypervisor.
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

/// Mounts of block devices, without what their options say about users:
/// `id parent 8:1 root point OPTIONS [tag…] - type source OPTIONS` (proc(5)).
fn mount(line: &str) -> Option<String> {
    let (front, back) = line.split_once(" - ")?;
    let mut front: Vec<_> = front.split(' ').map(str::to_owned).collect();
    let mut back: Vec<_> = back.split(' ').map(str::to_owned).collect();
    let major = front.get(2)?.split(':').next()?;
    if major == "0" && !back.get(1)?.starts_with("/dev/") {
        return None;
    }
    for options in front.get_mut(5).into_iter().chain(back.iter_mut().skip(2)) {
        let kept: Vec<_> = options.split(',').map(option).collect();
        *options = kept.join(",");
    }
    Some(format!("{} - {}", front.join(" "), back.join(" ")))
}

fn option(option: &str) -> String {
    let plain = |text: &str| {
        let fits =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.');
        text.len() <= LONGEST_OPTION && text.bytes().all(fits)
    };
    match option.split_once('=') {
        Some((key, value)) if OPTIONS.contains(&key) && plain(value) => option.to_owned(),
        Some((key, _)) if plain(key) => format!("{key}=blanked"),
        None if plain(option) && !option.contains(':') => option.to_owned(),
        _ => "blanked".to_owned(),
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

/// A table that someone saved with its keys: `name: start length TARGET ARGUMENT…`.
fn table(line: &str) -> String {
    let (name, rest) = line.split_once(": ").unwrap_or(("", line));
    let mut words: Vec<String> = rest.split_whitespace().map(keyless).collect();
    let target = words.get(2).cloned().unwrap_or_default();
    // Their arguments hold no key, but for those that are taken out. Of other targets the devices stay.
    let known = dm::TARGETS.contains(&target.as_str());
    for (index, word) in words.iter_mut().enumerate().skip(3) {
        // The key of a crypt target is its second argument.
        let secret = (target == "crypt" && index == 4) || (!known && DevNo::parse(word).is_none());
        if secret {
            "-".clone_into(word);
        }
    }
    format!("{name}: {}", words.join(" "))
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
        let text = "password=x # innodb_doublewrite\ninnodb_doublewrite=planted phrase\nskip-innodb-doublewrite\n";
        assert_eq!(filtered("etc/my.cnf", text), "skip-innodb-doublewrite\n");
        assert_eq!(filtered("sys/x/size", "8\n"), "8\n");
    }

    #[test]
    fn mounts_have_no_passwords() {
        let share = "40 35 0:50 / /mnt rw - cifs //server/share rw,password=planted";
        let disk = "36 35 8:1 / /srv rw - fuseblk /dev/sda1 rw,username=planted,allow_other";
        let text = filtered("proc/self/mountinfo", &format!("{share}\n{disk}\n"));
        assert_eq!(text, format!("{}\n", disk.replace("planted", "blanked")));
        // Only listed options keep their values, and a mount point may hold any sign.
        let line = "37 35 8:2 / /srv/a=b,c rw,passwd=planted shared:1 - xfs /dev/sda2 rw,sunit=128,secret=planted,stripe=planted/x,planted@host";
        let kept = "37 35 8:2 / /srv/a=b,c rw,passwd=blanked shared:1 - xfs /dev/sda2 rw,sunit=128,secret=blanked,stripe=blanked,blanked\n";
        assert_eq!(filtered("proc/self/mountinfo", line), kept);
    }

    #[test]
    fn tables_have_no_keys_and_swaps_no_use() {
        let text = "c: 0 8 crypt aes-xts c0ffee 0 8:1 0\ni: 0 8 integrity 8:1 0 4 J 1 internal_hash:hmac(sha256):c0ffee\n";
        let after = "c: 0 8 crypt aes-xts - 0 8:1 0\ni: 0 8 integrity 8:1 0 4 J 1 internal_hash:hmac(sha256)\n";
        assert_eq!(filtered("ioalign/dm-table", text), after);
        let unknown = "k: 0 8 default-key aes-xts-plain64 c0ffee 0 8:1 0\n";
        let after = "k: 0 8 default-key - - - 8:1 -\n";
        assert_eq!(filtered("ioalign/dm-table", unknown), after);
        let named = "crypt: 0 8 crypt aes-xts c0ffee 0 8:1 0\n";
        let after = "crypt: 0 8 crypt aes-xts - 0 8:1 0\n";
        assert_eq!(filtered("ioalign/dm-table", named), after);
        let swaps = "Filename Type Size Used Priority\n/dev/sda2 partition 1024 77 -2\n";
        let after = "Filename Type Size Used Priority\n/dev/sda2 partition 1024 0 0\n";
        assert_eq!(filtered("proc/swaps", swaps), after);
    }
}

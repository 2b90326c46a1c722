//! What stands around an output in a ticket, and what pages and mails do to it.

const NEXT: &str = "root@host:~# uname -a\nLinux host 5.10.0-8-amd64 #1 SMP Debian x86_64 GNU/Linux\n\
    root@host:~# df -h\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/sdz9        20G   12G  7.1G  63% /\n\
    root@host:~# exit\n";
/// Snaps and memory disks stand in every listing of Ubuntu and Raspberry Pi OS.
const LOOPS: &str = "Disk /dev/loop0: 55.4 MiB, 58130432 bytes, 113536 sectors\nUnits: sectors of 1 * 512 = 512 bytes\n\
    Sector size (logical/physical): 512 bytes / 512 bytes\nI/O size (minimum/optimal): 512 bytes / 512 bytes\n\n\n\
    Disk /dev/ram0: 4 MiB, 4194304 bytes, 8192 sectors\nUnits: sectors of 1 * 512 = 512 bytes\n\
    Sector size (logical/physical): 512 bytes / 4096 bytes\nI/O size (minimum/optimal): 4096 bytes / 4096 bytes\n\n";
/// A spare disk, the last of a listing.
const SPARE: &str = "\nDisk /dev/sdx: 10 GiB, 10737418240 bytes, 20971520 sectors\nDisk model: VBOX HARDDISK\n\
    Units: sectors of 1 * 512 = 512 bytes\nSector size (logical/physical): 512 bytes / 512 bytes\n\
    I/O size (minimum/optimal): 512 bytes / 512 bytes\n\nroot@host:~# exit\n";

pub fn around(text: String, noise: &str) -> String {
    let lines = |each: &dyn Fn(&str) -> String| text.lines().map(each).collect::<String>();
    match noise {
        "" => text,
        "prompt" => format!("root@host:~# \n{}\n{NEXT}", text.trim_end()),
        "mail" => lines(&|line| format!("> {line}\r\n")),
        "reply" => lines(&|line| format!(">> {line}\n")),
        "hash" => lines(&|line| format!("# {line}\n")),
        "list" => lines(&|line| format!("* {line}\n")),
        "indent" => format!(
            "Here it is:\n\n{}\nThanks!\n",
            lines(&|line| format!("    {line}\n"))
        ),
        "page" => {
            let escaped = text
                .replace('<', "&lt;")
                .replace(' ', "&nbsp;")
                .replace('\n', "<br />\n");
            format!("<p>{escaped}</p>")
        }
        "squeezed" => text
            .split('\n')
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
            .collect(),
        "loops" => format!("{LOOPS}\n{text}"),
        "spare" => text + SPARE,
        "twice" => format!("{text}\n{text}"),
        other => panic!("no noise {other}"),
    }
}

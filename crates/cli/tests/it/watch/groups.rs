//! I/O by control group, with the names that the kubelet gives containers.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Memory, Watching, fio, fio_by, permitted};
use crate::schema;

const UID: &str = "8a3c1f0e-5b7d-4c21-9f63-0d2e4b6a8c10";

/// The slice of a pod as the kubelet makes it, and containers in it; all go with this.
struct Pod {
    folder: PathBuf,
    inside: Vec<PathBuf>,
}

impl Pod {
    fn new(name: &str) -> Self {
        let v1 = Path::new("/sys/fs/cgroup/blkio");
        let top = if v1.exists() {
            v1
        } else {
            Path::new("/sys/fs/cgroup")
        };
        let uid = UID.replace('-', "_");
        let folder = top.join(format!(
            "kubepods-{name}{}-pod{uid}.slice",
            std::process::id()
        ));
        std::fs::create_dir(&folder).unwrap();
        for above in [top, &folder] {
            let switch = above.join("cgroup.subtree_control");
            if switch.exists() {
                std::fs::write(switch, "+io").unwrap();
            }
        }
        Self {
            folder,
            inside: Vec::new(),
        }
    }

    /// A container's group, whose processes are written to the file that is returned.
    fn container(&mut self, name: &str) -> String {
        let group = self.folder.join(name);
        std::fs::create_dir(&group).unwrap();
        let processes = group.join("cgroup.procs").to_str().unwrap().to_owned();
        self.inside.push(group);
        processes
    }
}

impl Drop for Pod {
    fn drop(&mut self) {
        for group in self.inside.iter().chain([&self.folder]) {
            let _ = std::fs::remove_dir(group);
        }
    }
}

/// fio in a control group.
fn fio_in(processes: &str, disk: &Memory, ios: u64) -> u64 {
    let enter = "echo $$ >\"$0\" && exec fio \"$@\"";
    let counted = fio_by(&["sh", "-c", enter, processes], disk, ios, &[]);
    counted.values().map(|(ios, _)| ios).sum()
}

/// I/Os of the groups that `wanted` says yes to.
fn ios_of(profile: &Value, wanted: impl Fn(&Value) -> bool) -> u64 {
    let groups = profile["devices"][0]["groups"].as_array().unwrap();
    let wanted = groups.iter().filter(|group| wanted(group));
    wanted.map(|group| group["ios"].as_u64().unwrap()).sum()
}

#[test]
fn containers_that_begin_later_have_their_names_and_every_count_is_fios() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("groups", 64);
    let root = tempfile::tempdir().unwrap();
    let links = root.path().join("var/log/containers");
    std::fs::create_dir_all(&links).unwrap();
    let (id, unnamed) = ("0123456789abcdef".repeat(4), "f".repeat(64));
    let sysroot = root.path().to_str().unwrap();
    let arguments = [disk.name(), "--groups", "9", "--sysroot", sysroot];
    let watch = Watching::start(&[&arguments[..], &["--json"]].concat());
    // The watch has given up its rights by now, and the names are none that it has read.
    let link = links.join(format!("db-0_shop_postgres-{id}.log"));
    std::os::unix::fs::symlink("/var/log/pods/none", link).unwrap();
    let mut pod = Pod::new("later");
    let named = pod.container(&format!("cri-containerd-{id}.scope"));
    let other = pod.container(&format!("docker-{unnamed}.scope"));
    let counted = [fio_in(&named, &disk, 700), fio_in(&other, &disk, 300)];
    let alone: u64 = fio(&disk, 500, &[]).values().map(|(ios, _)| ios).sum();
    let profile = watch.profile();
    schema::valid(&profile, "profile.json");
    let container = |group: &Value, key: &str| group["container"][key].as_str().map(str::to_owned);
    let postgres = ios_of(&profile, |group| {
        container(group, "name").as_deref() == Some("postgres")
            && container(group, "pod").as_deref() == Some("db-0")
            && container(group, "namespace").as_deref() == Some("shop")
            && container(group, "runtime").as_deref() == Some("containerd")
            && container(group, "pod_uid").as_deref() == Some(UID)
            && container(group, "id").as_ref() == Some(&id)
    });
    let docker = ios_of(&profile, |group| {
        container(group, "id").as_ref() == Some(&unnamed) && group["container"]["name"].is_null()
    });
    assert_eq!(
        [postgres, docker],
        counted,
        "{}",
        profile["devices"][0]["groups"]
    );
    // That of the test itself is no container. Others may read the device, too.
    let here = ios_of(&profile, |group| group["container"].is_null());
    assert!(here >= alone, "{here} {alone}");
    assert_eq!(ios_of(&profile, |_| true), profile["events"]);

    let watch = Watching::start(&[&arguments[..], &["--line"]].concat());
    fio_in(&named, &disk, 100);
    fio_in(&other, &disk, 100);
    let text = watch.end();
    for name in ["shop/db-0/postgres  ", "docker ffffffffffff  "] {
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn the_container_of_a_group_that_is_watched_alone_is_named() {
    if !permitted() {
        return;
    }
    let disk = Memory::new("alone", 64);
    let root = tempfile::tempdir().unwrap();
    let id = "ab".repeat(32);
    let folder = format!("var/lib/docker/containers/{id}/config.v2.json");
    ioalign_testkit::files::put(root.path(), &folder, "{\"Name\": \"/web\\u001b[31m\"}");
    let mut pod = Pod::new("alone");
    let processes = pod.container(&format!("docker-{id}.scope"));
    let group = Path::new(&processes).parent().unwrap().to_str().unwrap();
    let sysroot = ["--sysroot", root.path().to_str().unwrap()];
    let few = ["--cgroup", group, "--duration", "1s"];
    let output = std::process::Command::new(super::PROGRAM)
        .args([&["watch", disk.name()], &few[..], &sysroot[..]].concat())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("only the I/O of docker web"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

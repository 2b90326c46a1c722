//! Names of containers from trees as each runtime leaves them.

use std::path::Path;

use ioalign_core::profile::ContainerName;
use ioalign_inspect::host::containers::ContainerNames;
use ioalign_testkit::files::put;
use serde_json::json;

const UID: &str = "8a3c1f0e-5b7d-4c21-9f63-0d2e4b6a8c10";

fn id(digit: char) -> String {
    digit.to_string().repeat(64)
}

/// A tree with one container of each runtime, numbered `1…`, `2…`.
fn tree() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| put(root.path(), path, text);
    let link = format!("var/log/containers/db-0_shop_postgres-{}.log", id('1'));
    std::fs::create_dir_all(root.path().join("var/log/containers")).unwrap();
    // Of a live host it leads to /var/log/pods; nothing follows it.
    std::os::unix::fs::symlink("/no/such/file", root.path().join(link)).unwrap();
    write(&format!("var/log/pods/shop_web-7c9_{UID}/nginx/0.log"), "");
    let docker =
        json!({"ID": id('2'), "Name": "/cache", "Config": {"Image": "redis", "Labels": {}}});
    let config = |digit| format!("var/lib/docker/containers/{}/config.v2.json", id(digit));
    write(&config('2'), &docker.to_string());
    let labels = json!({
        "io.kubernetes.pod.name": "dns-1", "io.kubernetes.pod.namespace": "kube-system",
        "io.kubernetes.pod.uid": UID, "io.kubernetes.container.name": "coredns",
    });
    let docker = json!({"Name": "/k8s_coredns_dns-1", "Config": {"Labels": labels}});
    write(&config('3'), &docker.to_string());
    let storage = "var/lib/containers/storage/overlay-containers";
    let podman = json!([
        {"id": id('4'), "names": ["backup"], "layer": id('a'), "metadata": "{\"name\":\"backup\"}"},
        {"id": id('5'), "names": [format!("k8s_app_api-2_prod_{UID}_0")]},
        {"id": id('6'), "names": [format!("k8s_POD_api-2_prod_{UID}_0")]},
        {"id": id('7'), "names": null},
    ]);
    write(&format!("{storage}/containers.json"), &podman.to_string());
    let volatile = json!([{"id": id('8'), "names": ["once"]}]);
    write(
        &format!("{storage}/volatile-containers.json"),
        &volatile.to_string(),
    );
    let tasks = "run/containerd/io.containerd.runtime.v2.task";
    let cri = json!({"ociVersion": "1.1.0", "annotations": {
        "io.kubernetes.cri.container-type": "container",
        "io.kubernetes.cri.container-name": "mysqld",
        "io.kubernetes.cri.sandbox-name": "sql-0",
        "io.kubernetes.cri.sandbox-namespace": "shop",
        "io.kubernetes.cri.sandbox-uid": UID,
    }});
    write(
        &format!("{tasks}/k8s.io/{}/config.json", id('9')),
        &cri.to_string(),
    );
    let nerdctl = json!({"annotations": {"nerdctl/name": "builder"}});
    write(
        &format!("{tasks}/default/{}/config.json", id('b')),
        &nerdctl.to_string(),
    );
    root
}

/// Runtime, namespace, pod, container.
fn said(name: Option<ContainerName>) -> String {
    let name = name.unwrap_or_default();
    let all = [name.runtime, name.namespace, name.pod, name.name];
    all.map(|part| part.unwrap_or_else(|| "-".to_owned()))
        .join(" ")
}

#[test]
fn every_runtime_names_its_containers() {
    let root = tree();
    let names = ContainerNames::read(Some(root.path())).unwrap();
    let pod = "/kubepods.slice/kubepods-podX.slice/".replace('X', &UID.replace('-', "_"));
    for (path, wanted) in [
        (
            format!("/kubepods/burstable/pod{}/{}", "0".repeat(32), id('1')),
            "- shop db-0 postgres",
        ),
        (format!("/docker/{}", id('2')), "docker - - cache"),
        (
            format!("{pod}docker-{}.scope", id('3')),
            "docker kube-system dns-1 coredns",
        ),
        (
            format!("/machine.slice/libpod-{}.scope/container", id('4')),
            "podman - - backup",
        ),
        (
            format!("{pod}crio-{}.scope", id('5')),
            "cri-o prod api-2 app",
        ),
        (format!("{pod}crio-{}.scope", id('6')), "cri-o prod api-2 -"),
        (
            format!("/machine.slice/libpod-{}.scope", id('7')),
            "podman - - -",
        ),
        (
            format!("/machine.slice/libpod-{}.scope", id('8')),
            "podman - - once",
        ),
        (
            format!("{pod}cri-containerd-{}.scope", id('9')),
            "containerd shop sql-0 mysqld",
        ),
        (format!("/default/{}", id('b')), "- - - builder"),
        // Of a container that no file knows, its pod may be known.
        (
            format!("{pod}cri-containerd-{}.scope", id('c')),
            "containerd shop web-7c9 -",
        ),
        (pod, "- shop web-7c9 -"),
        (
            format!("/system.slice/docker-{}.scope", id('d')),
            "docker - - -",
        ),
        ("/system.slice/sshd.service".to_owned(), "- - - -"),
    ] {
        assert_eq!(said(names.of(&path)), wanted, "{path}");
    }
    assert_eq!(names.of("/system.slice/sshd.service"), None);
}

#[test]
fn what_the_kubelet_names_later_is_found_by_the_open_folder() {
    let root = tree();
    let mut names = ContainerNames::read(Some(root.path())).unwrap();
    let path = format!("/kubepods/podx/{}", id('e'));
    assert_eq!(said(names.of(&path)), "- - - -");
    let folder = root.path().join("var/log/containers");
    std::fs::write(folder.join(format!("job-1_batch_sort-{}.log", id('e'))), "").unwrap();
    names.look();
    assert_eq!(said(names.of(&path)), "- batch job-1 sort");
}

#[test]
fn damaged_files_name_nothing() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| put(root.path(), path, text);
    let folder = format!("var/lib/docker/containers/{}", id('1'));
    write(
        &format!("{folder}/config.v2.json"),
        "{\"Name\": \"/web\", \"Config\": ",
    );
    write(
        "var/lib/containers/storage/overlay-containers/containers.json",
        "[{\"id\": 7}]",
    );
    let task = "run/containerd/io.containerd.runtime.v2.task/k8s.io";
    write(
        &format!("{task}/{}/config.json", id('2')),
        "{\"annotations\": []}",
    );
    write("var/log/pods", "a file");
    let names = ContainerNames::read(Some(root.path())).unwrap();
    for digit in ['1', '2'] {
        assert_eq!(
            said(names.of(&format!("/docker/{}", id(digit)))),
            "docker - - -"
        );
    }
    assert!(ContainerNames::read(Some(Path::new("/no/such/folder"))).is_err());
}

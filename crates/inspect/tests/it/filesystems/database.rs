//! Data folders of databases against the servers that make them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioalign_core::Bytes;
use ioalign_inspect::filesystems::database::{find, find_under};

use super::{command, number};
use crate::tools::run;

/// A folder that any user may write into.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("data");
    fs::create_dir(&inner).unwrap();
    fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o777)).unwrap();
    (outer, inner)
}

fn root() -> bool {
    run(command("id").arg("-u")).trim() == "0"
}

/// A PostgreSQL tool, as nobody where the tests run as root, which initdb refuses.
fn postgresql(tool: &str) -> Command {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let installed = versions
        .flatten()
        .map(|version| version.path().join("bin").join(tool))
        .find(|path| path.exists());
    let path = installed.unwrap_or_else(|| PathBuf::from(tool));
    if !root() {
        return command(path.to_str().unwrap());
    }
    let mut setpriv = command("setpriv");
    setpriv.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]);
    setpriv.arg(path);
    setpriv
}

fn mariadb(dir: &Path, page: &str) {
    let mut server = command("mariadbd");
    server
        .args(["--no-defaults", "--bootstrap", "--skip-log-error"])
        .args(["--innodb-log-file-size=4M", "--innodb-buffer-pool-size=24M"])
        .arg(format!("--innodb-page-size={page}"))
        .arg(format!("--datadir={}", dir.display()))
        .stdin(Stdio::null());
    if root() {
        server.arg("--user=root");
    }
    run(&mut server);
}

#[test]
fn innodb_page_is_that_given_to_the_server() {
    needs!(Packages);
    for (page, bytes) in [("4k", 4096), ("16k", 16384), ("64k", 65536)] {
        let (_outer, dir) = folder();
        mariadb(&dir, page);
        let found = find(&dir).unwrap().unwrap();
        assert_eq!(found.engine.name(), "innodb");
        assert_eq!(found.page, Bytes::new(bytes), "{page}");
        assert_eq!(found.torn_page_protection, None);
    }
}

fn tablespace(dir: &Path) {
    let mut header = vec![0; 64];
    super::put(&mut header, 24, &[0, 8]);
    super::put(&mut header, 54, &0x15_u32.to_be_bytes());
    fs::create_dir_all(dir.join("shop")).unwrap();
    fs::write(dir.join("shop/orders.ibd"), header).unwrap();
}

#[test]
fn doublewrite_is_what_the_configuration_says() {
    for (text, protected) in [
        ("[mysqld]\nport=3306\n", Some(true)),
        ("[mysqld]\ninnodb_doublewrite = OFF\n", Some(false)),
        ("[mysqld]\nskip-innodb-doublewrite\n", Some(false)),
        ("innodb_doublewrite=DETECT_ONLY\n", Some(false)),
        ("innodb_doublewrite=0\ninnodb-doublewrite=1\n", Some(true)),
    ] {
        let (outer, dir) = folder();
        tablespace(&dir);
        let etc = outer.path().join("etc/mysql/mariadb.conf.d");
        fs::create_dir_all(&etc).unwrap();
        fs::write(etc.join("50-server.cnf"), text).unwrap();
        let found = find_under(&dir, Some(outer.path())).unwrap().unwrap();
        assert_eq!(found.torn_page_protection, protected, "{text}");
        assert_eq!(found.page, Bytes::new(16384));
        assert_eq!(find(&dir).unwrap().unwrap().torn_page_protection, None);
    }
}

#[test]
fn options_in_the_data_folder_are_read_last() {
    let (outer, dir) = folder();
    tablespace(&dir);
    fs::create_dir_all(outer.path().join("etc")).unwrap();
    fs::write(outer.path().join("etc/my.cnf"), "innodb_doublewrite=1\n").unwrap();
    fs::write(dir.join("my.cnf"), "[mysqld]\ninnodb_doublewrite=0\n").unwrap();
    assert_eq!(
        find(&dir).unwrap().unwrap().torn_page_protection,
        Some(false)
    );
    let found = find_under(&dir, Some(outer.path())).unwrap().unwrap();
    assert_eq!(found.torn_page_protection, Some(false));
}

#[test]
fn postgresql_block_is_that_of_pg_controldata() {
    needs!(Packages);
    let (_outer, dir) = folder();
    let dir = dir.join("pg");
    run(postgresql("initdb")
        .args(["-N", "-A", "trust", "-D"])
        .arg(&dir));
    let said = run(postgresql("pg_controldata").arg(&dir));
    let found = find(&dir).unwrap().unwrap();
    assert_eq!(found.engine.name(), "postgresql");
    assert_eq!(
        found.page,
        Bytes::new(number(&said, "Database block size:"))
    );
    let wal = Bytes::new(number(&said, "WAL block size:"));
    assert_eq!(found.facts["wal-page"], wal.to_string());
    let segment = Bytes::new(number(&said, "Bytes per WAL segment:"));
    assert_eq!(found.facts["wal-segment"], segment.to_string());
    assert_eq!(found.torn_page_protection, Some(true));
    fs::write(
        dir.join("postgresql.conf"),
        "full_page_writes = off # fast\n",
    )
    .unwrap();
    assert_eq!(
        find(&dir).unwrap().unwrap().torn_page_protection,
        Some(false)
    );
    fs::write(
        dir.join("postgresql.auto.conf"),
        "full_page_writes = 'on'\n",
    )
    .unwrap();
    assert_eq!(
        find(&dir).unwrap().unwrap().torn_page_protection,
        Some(true)
    );
}

#[test]
fn sqlite_page_is_that_given_to_sqlite() {
    needs!(Packages);
    for page in [512, 4096, 65536] {
        let (_outer, dir) = folder();
        let path = dir.join("file.db");
        let script = format!("PRAGMA page_size={page}; CREATE TABLE t(x);");
        run(command("sqlite3").arg(&path).arg(script));
        let found = find(&path).unwrap().unwrap();
        assert_eq!(
            (found.engine.name(), found.page),
            ("sqlite", Bytes::new(page))
        );
    }
}

#[test]
fn wiredtiger_folders_are_recognised_and_others_not() {
    let (_outer, dir) = folder();
    assert_eq!(find(&dir).unwrap(), None);
    assert_eq!(find(&dir.join("nowhere")).unwrap(), None);
    fs::write(
        dir.join("WiredTiger"),
        "WiredTiger\nWiredTiger 10.0.2: (now)\n",
    )
    .unwrap();
    let found = find(&dir).unwrap().unwrap();
    assert_eq!(
        (found.engine.name(), found.page),
        ("mongodb", Bytes::new(4096))
    );
}

/// 108 bytes that end in what is read of `pg_control`: the marker, blocks of 8 KiB, segments of 16 MiB.
fn pg_control() -> Vec<u8> {
    let mut bytes = vec![0; 84];
    bytes.extend(1_234_567.0_f64.to_le_bytes());
    for number in [8192_u32, 131_072, 8192, 16 << 20] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

#[test]
fn a_planted_link_shows_no_other_file() {
    let secret = "root:$6$SECRETHASH$planted:19000:0:99999:7:::\nmallory:x\n";
    let (outer, dir) = folder();
    let shadow = outer.path().join("shadow");
    fs::write(&shadow, secret).unwrap();
    fs::create_dir(dir.join("global")).unwrap();
    fs::write(dir.join("global/pg_control"), pg_control()).unwrap();
    let version = dir.join("PG_VERSION");
    // The file itself, and a copy of what is in it: neither is a version.
    for plant in [
        |shadow: &Path, name: &Path| symlink(shadow, name).unwrap(),
        |shadow: &Path, name: &Path| {
            symlink(Path::new("..").join(shadow.file_name().unwrap()), name).unwrap()
        },
        |shadow: &Path, name: &Path| fs::hard_link(shadow, name).unwrap(),
    ] {
        plant(&shadow, &version);
        let found = find(&dir).unwrap().unwrap();
        assert_eq!(
            (found.engine.name(), found.page),
            ("postgresql", Bytes::new(8192))
        );
        assert!(!format!("{found:?}").contains("SECRETHASH"), "{found:?}");
        fs::remove_file(&version).unwrap();
    }
    fs::write(&version, "16\n").unwrap();
    assert_eq!(find(&dir).unwrap().unwrap().facts["version"], "16");
    fs::remove_dir_all(dir.join("global")).unwrap();
    fs::write(dir.join("WiredTiger"), format!("WiredTiger\n{secret}")).unwrap();
    let found = find(&dir).unwrap().unwrap();
    assert!(!format!("{found:?}").contains("SECRETHASH"), "{found:?}");
}

#[test]
fn no_file_of_a_database_is_a_link() {
    let (outer, dir) = folder();
    tablespace(&dir);
    fs::rename(dir.join("shop"), outer.path().join("shop")).unwrap();
    symlink("../shop", dir.join("shop")).unwrap();
    assert_eq!(find(&dir).unwrap(), None, "a linked folder");
    symlink("../shop/orders.ibd", dir.join("ibdata1")).unwrap();
    let error = find(&dir).unwrap_err().full();
    assert!(error.contains("symbolic link"), "{error}");
}

#[test]
fn damaged_headers_are_errors_not_panics() {
    let (_outer, dir) = folder();
    fs::create_dir(dir.join("global")).unwrap();
    for len in [0, 1, 24, 57, 64, 512] {
        fs::write(dir.join("ibdata1"), vec![0xff; len]).unwrap();
        assert!(find(&dir).is_err(), "{len}");
        fs::remove_file(dir.join("ibdata1")).unwrap();
        fs::write(dir.join("global/pg_control"), vec![0xff; len]).unwrap();
        assert!(find(&dir).is_err(), "{len}");
        fs::remove_file(dir.join("global/pg_control")).unwrap();
        fs::write(dir.join("file"), b"SQLite format 3\0\x03\x03").unwrap();
        assert!(find(&dir.join("file")).is_err());
    }
}

//! `io_uring` forbidden, as containers do it.

use std::ops::ControlFlow;

use ioalign_measure::engine::{Api, EngineOptions};
use ioalign_measure::load;

use crate::scratch::{MIB, options, scratch, workload};

/// Runs on a thread for which `io_uring_setup` is not permitted: a seccomp filter, which needs no root.
fn without_rings(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            forbid(libc::SYS_io_uring_setup);
            work();
        });
    });
}

fn forbid(call: libc::c_long) {
    const LOAD: u16 = 0x20;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    let step = |code, k, jt, jf| libc::sock_filter { code, jt, jf, k };
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
    let mut steps = [
        step(LOAD, 0, 0, 0),
        step(JUMP_IF_EQUAL, u32::try_from(call).unwrap(), 0, 1),
        step(RETURN, refuse, 0, 0),
        step(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let filter = libc::sock_fprog {
        len: 4,
        filter: steps.as_mut_ptr(),
    };
    // SAFETY: both calls concern this thread and those that it starts, and the filter outlives the call,
    // which copies it.
    let refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            | libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                &raw const filter,
            )
    };
    assert_eq!(refused, 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn plain_system_calls_take_over_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let target = scratch(&folder.path().join("data"), MIB, true, true);
    without_rings(|| {
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let targets = [target.clone()];
        let report = load::run(&targets, &workload(0.5, 100), &options(), None, go_on).unwrap();
        assert_eq!((report.api, report.queue_depth), (Api::Sync, 1));
        assert!(report.read.ios > 0 && report.write.ios > 0);
        let note = report.notes.join("\n");
        assert!(
            note.contains("io_uring is not allowed here: Operation not permitted"),
            "{note}"
        );
        assert!(note.contains("pread and pwrite"), "{note}");

        let wanted = EngineOptions {
            api: Some(Api::Uring),
            ..options()
        };
        let error = load::run(&targets, &workload(1.0, 100), &wanted, None, go_on).unwrap_err();
        assert!(
            error.to_string().contains("kernel.io_uring_disabled=0"),
            "{error}"
        );
    });
}

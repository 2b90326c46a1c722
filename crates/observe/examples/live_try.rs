use ioalign_observe::live::*;
use std::path::Path;
fn main() {
    let mut devs = devices(
        Path::new("/sys"),
        &std::env::args().skip(1).collect::<Vec<_>>(),
    )
    .unwrap();
    for d in &mut devs {
        d.grids.push("8k".parse().unwrap());
        d.grids.push("192k@64k".parse().unwrap());
    }
    println!("{devs:?}");
    let t = std::time::Instant::now();
    let mut w = match Watch::start(Options {
        devices: devs.clone(),
        owners: true,
        ring: Some(1 << 24),
        cost: true,
        plain: std::env::var_os("PLAIN").is_some(),
    }) {
        Ok(w) => w,
        Err(e) => {
            println!("{e}");
            for r in missing::reasons(Path::new("/")) {
                println!("- {r}");
            }
            return;
        }
    };
    println!("{:?} {:?}", w.means(), t.elapsed());
    let r = Recorder::start(&mut w, Path::new("/tmp/live.blktrace")).unwrap();
    let b = w.totals().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(
        std::env::var("SECS")
            .ok()
            .and_then(|s| s.parse().ok())
            .unwrap_or(5),
    ));
    let c = w.cost();
    let t2 = std::time::Instant::now();
    let e = w.stop();
    println!("read {:?}", t2.elapsed());
    println!("{:?}", r.finish(e.dropped()));
    let p = e.since(&b).profile(&devs, t.elapsed());
    println!("{}", serde_json::to_string(&p).unwrap());
    println!("{c:?} per run {}", c.nanos / c.runs.max(1));
}

//! `ioalign simulate serve`: the array as a block device in real time.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use ioalign_core::{Bytes, shell};
use ioalign_export::OpenArray;
use ioalign_export::data::ArrayData;
use ioalign_export::media::{BlockFault, Media, PowerLoss, PowerRules, UnflushedFate};
use ioalign_export::place::{LeftServer, clear_left};
use ioalign_export::server::StartedArray;
use ioalign_export::session::{ServedDevice, WantedWays};
use ioalign_simulate::description::{DescribedArray, VolumeAbove};
use ioalign_simulate::disk::DiskModel;
use ioalign_simulate::geometry::ArrayGeometry;
use serde::Serialize;

use crate::args::{LostWrites, SimulateServeArgs};
use crate::exit::{Exit, UsageError};
use crate::interrupt::Interrupt;
use crate::{look, say};

/// How often signals are looked for.
const PAUSE: Duration = Duration::from_millis(10);
const SECTOR: u64 = 512;

/// Serves until it is interrupted.
pub fn run(arguments: &SimulateServeArgs) -> Result<Exit> {
    let whole = |name: &str, bytes: Option<u64>| match bytes {
        Some(bytes) if bytes == 0 || !bytes.is_multiple_of(SECTOR) => Err(UsageError(format!(
            "--{name}: {bytes} bytes are not whole sectors of {SECTOR}"
        ))),
        _ => Ok(()),
    };
    whole("size", arguments.size)?;
    whole("tear", arguments.tear)?;
    whole("start", Some(arguments.start).filter(|start| *start > 0))?;
    let mut array = super::array::named(&arguments.array)?;
    let plain = array.cache.is_none() && array.unit_bytes == 0;
    if !plain || array.above != VolumeAbove::default() {
        say::note("the cache, the unit and the volume of the array are not served: disks alone");
    }
    if let Some(ns) = arguments.service {
        array.disk = DiskModel::Fixed { ns };
    }
    laid_out(arguments, &array, None)?;
    let interrupt = Interrupt::watched()?;
    let power = PowerSwitch::watched()?;
    for left in clear_left() {
        say::note(cleared(&left));
    }
    let data = ArrayData::open(arguments.data.as_deref())?;
    let geometry = laid_out(arguments, &array, data.bytes())?;
    let rest = geometry.capacity().saturating_sub(arguments.start) / SECTOR * SECTOR;
    let bytes = arguments.size.or(data.bytes()).unwrap_or(rest);
    let data = data.sized(bytes)?;
    grow(&mut array, &geometry);
    let media = Media::new(data, bytes, rules(arguments)).context("no memory for a write cache")?;
    let model = StartedArray {
        array: OpenArray::new(&geometry, &array.disk, arguments.seed),
        start: arguments.start,
    };
    let ways = WantedWays {
        fuse: !arguments.no_fuse,
        socket: arguments.socket.clone(),
    };
    let device = ServedDevice::start(Box::new(model), media, &ways)?;
    for note in device.notes() {
        say::note(note);
    }
    announce(arguments, &array, bytes, &device)?;
    while !interrupt.asked() {
        power.switch(&device);
        std::thread::sleep(PAUSE);
    }
    for note in device.stop() {
        say::note(note);
    }
    Ok(Exit::Done)
}

/// The array with room for the device: what is asked for, or what is there, or one sector at least.
fn laid_out(
    arguments: &SimulateServeArgs,
    array: &DescribedArray,
    has: Option<u64>,
) -> Result<ArrayGeometry> {
    let wrong = |what: String| UsageError(format!("{}: {what}", arguments.array));
    let bytes = arguments.size.or(has);
    let end = arguments.start.checked_add(bytes.unwrap_or(SECTOR));
    let end = end.ok_or_else(|| wrong("no array is so large".to_owned()))?;
    let geometry = match bytes {
        Some(_) => ArrayGeometry::with_room(array.shape.clone(), end),
        None => ArrayGeometry::new(array.shape.clone()),
    };
    let geometry = geometry.map_err(wrong)?;
    if geometry.capacity() < end {
        let has = Bytes::new(geometry.capacity());
        return Err(wrong(format!("a start past the end: the array has {has}")).into());
    }
    Ok(geometry)
}

/// The description of what was laid out, where disks are larger now.
fn grow(array: &mut DescribedArray, geometry: &ArrayGeometry) {
    array.shape = geometry.shape().clone();
    if let DiskModel::Spinning(disk) = &mut array.disk {
        disk.disk_bytes = array.shape.disk_bytes;
    }
}

const fn rules(arguments: &SimulateServeArgs) -> PowerRules {
    PowerRules {
        tear: arguments.tear,
        unflushed: match arguments.lose_unflushed {
            None => UnflushedFate::Kept,
            Some(LostWrites::All) => UnflushedFate::LostAll,
            Some(LostWrites::Some) => UnflushedFate::LostSome,
        },
        seed: arguments.seed,
    }
}

/// The signals for the power.
struct PowerSwitch {
    off: Arc<AtomicBool>,
    on: Arc<AtomicBool>,
}

impl PowerSwitch {
    fn watched() -> Result<Self> {
        use signal_hook::consts::{SIGUSR1, SIGUSR2};
        let watched = |signal| {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, Arc::clone(&flag))
                .context("cannot watch for signals")?;
            anyhow::Ok(flag)
        };
        Ok(Self {
            off: watched(SIGUSR1)?,
            on: watched(SIGUSR2)?,
        })
    }

    fn switch(&self, device: &ServedDevice) {
        if self.off.swap(false, Ordering::Relaxed) {
            match device.server().power_off() {
                Ok(loss) => say::note(lost(&loss)),
                Err(BlockFault::PowerOff) => say::note("the power is off already"),
                Err(_) => say::note(
                    "the power is off; the data could not be written: they are not to be trusted",
                ),
            }
        }
        if self.on.swap(false, Ordering::Relaxed) {
            device.server().power_on();
            say::note("the power is on");
        }
    }
}

fn lost(loss: &PowerLoss) -> String {
    format!(
        "the power is off: {} writes in flight, of which {} are torn and {} left nothing; {} not flushed, of which {} \
         are lost",
        loss.in_flight, loss.torn, loss.undone, loss.unflushed, loss.forgotten
    )
}

fn cleared(left: &LeftServer) -> String {
    let folder = shell::path(&left.folder);
    let names = |devices: &[std::path::PathBuf]| {
        let names: Vec<_> = devices.iter().map(|device| shell::path(device)).collect();
        names.join(", ")
    };
    let mut out = format!("cleared away what a killed server left in {folder}");
    if !left.detached.is_empty() {
        let _ = write!(out, ", and detached {}", names(&left.detached));
    }
    if !left.open.is_empty() {
        let _ = write!(
            out,
            "; still open, and gone when that ends: {}",
            names(&left.open)
        );
    }
    out
}

#[derive(Serialize)]
struct ServedReady<'a> {
    device: Option<&'a Path>,
    file: Option<&'a Path>,
    nbd_socket: &'a Path,
}

/// Says that it is ready, and where.
fn announce(
    arguments: &SimulateServeArgs,
    array: &DescribedArray,
    bytes: u64,
    device: &ServedDevice,
) -> Result<()> {
    let file = device.file();
    let ready = ServedReady {
        device: device.device(),
        file: file.as_deref(),
        nbd_socket: device.socket(),
    };
    if arguments.json {
        return look::json_line(&ready);
    }
    look::write(&text(arguments, array, bytes, &ready))
}

fn text(
    arguments: &SimulateServeArgs,
    array: &DescribedArray,
    bytes: u64,
    ready: &ServedReady,
) -> String {
    let mut out = format!(
        "{} · {} from sector {}\n{}\n\n",
        arguments.array,
        Bytes::new(bytes),
        ioalign_core::numbers::thousands(arguments.start / SECTOR),
        array.about()
    );
    let none = || "none".into();
    let device = ready.device.map_or_else(none, shell::path);
    let file = ready.file.map_or_else(none, shell::path);
    let socket = shell::path(ready.nbd_socket);
    let _ = writeln!(
        out,
        "  block device  {device}\n  file          {file}\n  NBD socket    {socket}\n"
    );
    if let Some(target) = ready.device.or(ready.file) {
        let target = shell::path(target);
        let _ = writeln!(
            out,
            "  fio --name=a --filename={target} --direct=1 --ioengine=libaio --rw=randread --bs=16k --iodepth=8 \
             --time_based --runtime=10"
        );
    }
    let uri = format!("nbd+unix:///?socket={}", ready.nbd_socket.display());
    let _ = writeln!(
        out,
        "  fio --name=a --ioengine=nbd --uri={} --rw=randread --bs=16k --iodepth=8 --time_based --runtime=10",
        shell::word(&uri)
    );
    out.push_str("\nCtrl-C ends it.\n");
    out
}

//! The other table of an image for disks with sectors of 512 and of 4096 bytes: is it whole as well?
//!
//! A remnant is not: the entries of a usual GPT for 512 lie over byte 4096, and the backups of the two sizes over each
//! other. So what is still whole of a second table, or stands where a remnant could not, was put there.

use ioalign_core::{Remark, SectorSize, Severity, rules};

use super::copies::{self, GptTable};
use crate::error::Result;
use crate::view::View;

/// Says what is wrong with the table for the sectors that `believed` is not for.
pub fn judge(view: &View, believed: &GptTable, others: &[GptTable]) -> Result<Option<Remark>> {
    let other = match believed.header.sector {
        SectorSize::S512 => SectorSize::S4096,
        SectorSize::S4096 => SectorSize::S512,
        _ => return Ok(None),
    };
    if !believed.is_good() {
        return Ok(None);
    }
    let primary = others.iter().find(|copy| copy.header.sector == other);
    let what = match primary {
        Some(copy) if copy.is_good() => copies::backup_remark(view, copy)?
            .filter(|remark| remark.severity != Severity::Note)
            .map(|remark| remark.why),
        _ => damaged(view, believed, primary, other)?,
    };
    Ok(what.map(|what| {
        let size = other.get();
        let why = format!("The image has a second table, for sectors of {size} bytes. {what}");
        let advice = "`ioalign fix IMAGE --universal` makes both again from the one that is whole.";
        Remark::new(rules::GPT_OTHER_TABLE_DAMAGED, Severity::DataRisk, why).advise(advice)
    }))
}

/// Why a primary that is not whole, or not there, is no remnant.
fn damaged(
    view: &View,
    believed: &GptTable,
    primary: Option<&GptTable>,
    other: SectorSize,
) -> Result<Option<String>> {
    let fault = primary.map_or("it is not there", GptTable::fault);
    let last = copies::last_lba(view, other);
    let backup = GptTable::load(view, last, other)?;
    if backup.is_some_and(|copy| copy.is_good()) {
        return Ok(Some(format!(
            "Its primary is damaged ({fault}); its backup is whole."
        )));
    }
    let Some(primary) = primary else {
        return Ok(None);
    };
    let apart = match other {
        // The entries of a usual table would lie over this header.
        SectorSize::S4096 => !covers(believed, u64::from(other.get())),
        _ => primary.header.is_sound() && !overlap(believed, primary),
    };
    Ok(apart.then(|| format!("Its primary is damaged ({fault}), and so is its backup.")))
}

fn covers(table: &GptTable, at: u64) -> bool {
    let array = table.header.array;
    (array..array.saturating_add(table.header.array_len())).contains(&at)
}

/// Whether the entries of one lie over those or the header of the other.
fn overlap(believed: &GptTable, other: &GptTable) -> bool {
    let end = |table: &GptTable| table.header.array.saturating_add(table.header.array_len());
    let own = u64::from(believed.header.sector.get());
    covers(other, own) || other.header.array < end(believed) && believed.header.array < end(other)
}

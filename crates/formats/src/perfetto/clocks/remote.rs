//! Estimates the offset between the clocks of two machines from messages in both directions.
//!
//! ```text
//! further machine   c1 ───►      c2 ───►            two round trips: c1 h1 c2, and h1 c2 h2
//! recording one          h1 ───►      h2            each clock was read in the middle of the other's trip
//! ```

use super::id::ClockId;

/// Messages that are further apart than this belong to different rounds, ns.
const ROUND_NS: i64 = 30_000_000_000;

/// The clocks of both machines at a message.
pub(super) struct Round {
    pub client: Vec<(ClockId, i64)>,
    pub host: Vec<(ClockId, i64)>,
}

impl Round {
    /// The host's clock, its time and the client's time, if the clock was read on both machines.
    fn both(&self, client: ClockId) -> Option<(ClockId, i64, i64)> {
        let of = |times: &[(ClockId, i64)]| {
            let found = times
                .iter()
                .find(|(clock, _)| clock.number() == client.number());
            found.copied().filter(|(_, ns)| *ns != 0)
        };
        let (host, host_ns) = of(&self.host)?;
        Some((host, host_ns, of(&self.client)?.1))
    }
}

/// For each clock, its time on the machine that recorded and on the other machine at the same moment.
pub(super) fn pairs(rounds: &[Round]) -> Vec<[(ClockId, i64); 2]> {
    let Some(first) = rounds.first() else {
        return Vec::new();
    };
    let clocks = first.client.iter().map(|(clock, _)| *clock);
    clocks.filter_map(|clock| pair(rounds, clock)).collect()
}

fn pair(rounds: &[Round], client: ClockId) -> Option<[(ClockId, i64); 2]> {
    let (mut sum, mut count, mut anchor) = (0_i128, 0, None);
    for [ping, update] in rounds.windows(2).filter_map(|pair| pair.first_chunk::<2>()) {
        let (Some((_, h1, c1)), Some((host, h2, c2))) = (ping.both(client), update.both(client))
        else {
            continue;
        };
        if c2.saturating_sub(c1) >= ROUND_NS {
            continue;
        }
        let [h1, c1, h2, c2] = [h1, c1, h2, c2].map(i128::from);
        sum += (c1 + c2) / 2 - h1;
        sum += c2 - (h1 + h2) / 2;
        count += 2;
        anchor = Some((host, h2));
    }
    let (host, at) = anchor?;
    let other = i64::try_from(at + sum / count).ok()?;
    Some([(host, i64::try_from(at).ok()?), (client, other)])
}

//! Records in the pages of any machine are read back unchanged.

use proptest::prelude::*;
use testkit::{Machine, RingPages};

use super::{CpuPages, PageFault};
use crate::bytes::ByteOrder;
use crate::ring_buffer::PageLayout;

fn machine() -> impl Strategy<Value = Machine> {
    (any::<bool>(), any::<bool>()).prop_map(|(big_endian, long)| Machine {
        big_endian,
        long_bytes: if long { 8 } else { 4 },
    })
}

proptest! {
    #[test]
    fn records_come_back(
        machine in machine(),
        page_bytes in 400usize..5000,
        records in prop::collection::vec(
            (0u64..1 << 40, 4usize..300, any::<u8>(), prop::option::weighted(0.1, 1u64..1000)),
            0..60,
        ),
    ) {
        let mut pages = RingPages::new(machine, page_bytes);
        let (mut ts, mut expected, mut lost) = (0, Vec::new(), Vec::new());
        for (delta, length, byte, loss) in records {
            ts += delta;
            let data = vec![byte; length.next_multiple_of(4)];
            if let Some(loss) = loss {
                pages.lose(loss);
                lost.push(loss);
            }
            pages.push(ts, &data);
            expected.push((ts, data));
        }
        // Faults are reported before an event, so those after the last event are not.
        let bytes = pages.finish();
        let order = ByteOrder { big_endian: machine.big_endian };
        let layout = PageLayout::usual(order, machine.long_bytes, page_bytes);
        let mut pages = CpuPages::new(&bytes, layout);
        let events: Vec<_> = pages.by_ref().map(|event| (event.ts, event.data.to_vec())).collect();
        prop_assert_eq!(events, expected);
        let reported: Vec<_> = pages
            .take_faults()
            .into_iter()
            .map(|fault| match fault {
                PageFault::Lost { events, .. } => events,
                other => panic!("{other:?}"),
            })
            .collect();
        prop_assert_eq!(reported, lost);
    }

    /// Arbitrary bytes as pages: no panic, and no event beyond the bytes.
    #[test]
    fn any_bytes_are_pages(
        machine in machine(),
        page_bytes in 64usize..600,
        bytes in prop::collection::vec(any::<u8>(), 0..3000),
    ) {
        let order = ByteOrder { big_endian: machine.big_endian };
        let layout = PageLayout::usual(order, machine.long_bytes, page_bytes);
        let events = CpuPages::new(&bytes, layout);
        let taken: usize = events.map(|event| event.data.len() + 4).sum();
        prop_assert!(taken <= bytes.len() + 4 * bytes.len() / page_bytes + 4);
    }
}

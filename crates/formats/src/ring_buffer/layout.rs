//! The layout of a ring buffer's page, from `events/header_page`.
//!
//! ```text
//! field: u64 timestamp;   offset:0;   size:8;     signed:0;
//! field: local_t commit;  offset:8;   size:8;     signed:1;     a `long` of the kernel
//! field: int overwrite;   offset:8;   size:1;     signed:1;
//! field: char data;       offset:16;  size:4080;  signed:0;
//! ```

use crate::bytes::ByteOrder;

/// The positions of the parts of a page. Offsets and sizes are bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageLayout {
    /// The byte order of numbers.
    pub order: ByteOrder,
    /// The size of a page with its header. This is the size of a sub-buffer, which may exceed the
    /// machine's page size on kernels since 6.8 (`buffer_subbuf_size_kb`).
    pub page_bytes: usize,
    /// The offset of the commit word, which has the number of valid data bytes, and flags.
    pub commit_at: usize,
    /// The size of that word, which is the kernel's `long`: 4 or 8.
    pub long_bytes: usize,
    /// The offset of the data.
    pub data_at: usize,
}

/// A `header_page` that no kernel could have written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A line or one of its numbers is missing.
    #[error("header_page has no usable field {field}")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// An invalid number.
    #[error("header_page: {field} is {found}; expected {expected}")]
    Value {
        /// The name of the field and of the number.
        field: &'static str,
        /// The value.
        found: usize,
        /// The allowed values.
        expected: &'static str,
    },
}

/// The allowed size of a page: at least a header and some data; the maximum is far above the
/// kernel's largest sub-buffer of 128 pages.
const PAGE_BYTES: std::ops::RangeInclusive<usize> = 64..=64 << 20;

impl PageLayout {
    /// The layout in every kernel since 2.6.31 whose `long` has `long_bytes` bytes (4 or 8).
    #[cfg(test)]
    pub fn usual(order: ByteOrder, long_bytes: usize, page_bytes: usize) -> Self {
        Self {
            order,
            page_bytes,
            commit_at: 8,
            long_bytes,
            data_at: 8 + long_bytes,
        }
    }

    /// Parses the text of `events/header_page`.
    ///
    /// # Errors
    /// If a field is missing or contradicts the others.
    pub fn parse(header_page: &[u8], order: ByteOrder) -> Result<Self, LayoutError> {
        let find = |field: &'static str| {
            let lines = header_page.split(|&byte| byte == b'\n');
            let mut found = lines.filter_map(super::format::field_line);
            found
                .find(|line| line.name == field.as_bytes())
                .ok_or(LayoutError::Missing { field })
        };
        let (commit, data) = (find("commit")?, find("data")?);
        let value = |field, found, expected| LayoutError::Value {
            field,
            found,
            expected,
        };
        if !matches!(commit.size, 4 | 8) {
            return Err(value("the size of commit", commit.size, "4 or 8"));
        }
        if data.offset < commit.offset.saturating_add(commit.size) || data.offset > 1 << 10 {
            return Err(value(
                "the offset of data",
                data.offset,
                "what follows commit",
            ));
        }
        let page_bytes = data.offset.saturating_add(data.size);
        if !PAGE_BYTES.contains(&page_bytes) {
            return Err(value(
                "the size of data",
                data.size,
                "a page without its header",
            ));
        }
        Ok(Self {
            order,
            page_bytes,
            commit_at: commit.offset,
            long_bytes: commit.size,
            data_at: data.offset,
        })
    }

    /// The same layout for another page size; `None` if that size is invalid.
    pub fn with_page_bytes(self, page_bytes: usize) -> Option<Self> {
        let fits = PAGE_BYTES.contains(&page_bytes) && page_bytes > self.data_at;
        fits.then_some(Self { page_bytes, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
        \tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n\
        \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
        \tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;\n";

    #[test]
    fn a_real_header_page() {
        let layout = PageLayout::parse(TEXT.as_bytes(), ByteOrder::default());
        let usual = PageLayout::usual(ByteOrder::default(), 4, 4096);
        assert_eq!(layout, Ok(usual));
        assert_eq!(
            usual.with_page_bytes(16 << 10).unwrap().page_bytes,
            16 << 10
        );
        assert_eq!(usual.with_page_bytes(12), None);
    }

    #[test]
    fn what_no_kernel_wrote_is_refused() {
        let parse = |text: &str| PageLayout::parse(text.as_bytes(), ByteOrder::default());
        assert!(parse("").is_err());
        assert!(parse(&TEXT.replace("size:4;", "size:3;")).is_err());
        assert!(parse(&TEXT.replace("offset:12", "offset:9")).is_err());
        assert!(parse(&TEXT.replace("size:4084", "size:99999999999")).is_err());
    }
}

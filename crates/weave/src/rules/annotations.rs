//! Reading the annotations of a class or method.

use crate::class::input::Cursor;
use crate::class::tables::skip_annotation;
use crate::class::{Attribute, ClassError, ClassFile};

/// Dotted names of the annotations in these attributes, including those that are not visible at run time.
pub(super) fn names(
    class: &ClassFile<'_>,
    attributes: &[Attribute<'_>],
) -> Result<Vec<String>, ClassError> {
    let mut names = Vec::new();
    for name in [
        &b"RuntimeVisibleAnnotations"[..],
        b"RuntimeInvisibleAnnotations",
    ] {
        if let Some(attribute) = class.attribute(attributes, name) {
            let mut cursor = Cursor::new(&attribute.content, attribute.at);
            for _ in 0..cursor.u16("num_annotations")? {
                // Peek at the annotation's type, which comes first.
                let index = cursor.clone().u16("type_index")?;
                skip_annotation(&mut cursor, 0)?;
                let descriptor = class.pool.text(index)?;
                let name = descriptor
                    .strip_prefix('L')
                    .and_then(|name| name.strip_suffix(';'));
                names.extend(name.map(|name| name.replace('/', ".")));
            }
        }
    }
    Ok(names)
}

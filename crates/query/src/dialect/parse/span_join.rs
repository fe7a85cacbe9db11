//! `CREATE VIRTUAL TABLE name USING SPAN_JOIN(table PARTITIONED column, table PARTITIONED column)`.

use super::cursor::Cursor;
use super::lists::list;
use crate::dialect::error::Error;
use crate::dialect::statement::{CreateSpanJoin, SpanJoin, SpanTable, StatementKind};
use crate::dialect::types::Name;

const KINDS: [(&str, SpanJoin); 3] = [
    ("SPAN_JOIN", SpanJoin::Inner),
    ("SPAN_LEFT_JOIN", SpanJoin::Left),
    ("SPAN_OUTER_JOIN", SpanJoin::Outer),
];

/// Parses the statement; `None` if it is something else, such as another kind of virtual table.
pub(super) fn span_join(cursor: &Cursor<'_>) -> Result<Option<StatementKind>, Error> {
    let mut cursor = cursor.clone();
    let Some((name, kind)) = head(&mut cursor) else {
        return Ok(None);
    };
    let tables = list(&mut cursor, false, table)?;
    cursor.finish()?;
    let two = <[SpanTable; 2]>::try_from(tables);
    let tables = two.map_err(|_| cursor.expected("exactly two tables"))?;
    let it = CreateSpanJoin { name, kind, tables };
    Ok(Some(StatementKind::CreateSpanJoin(it)))
}

/// The part before the tables.
fn head(cursor: &mut Cursor<'_>) -> Option<(Name, SpanJoin)> {
    let words = ["CREATE", "VIRTUAL", "TABLE"];
    if !words.iter().all(|word| cursor.accept_word(word)) {
        return None;
    }
    let name = cursor.name("the name of a table").ok()?;
    if !cursor.accept_word("USING") {
        return None;
    }
    let kind = KINDS.iter().find(|(word, _)| cursor.accept_word(word))?;
    Some((name, kind.1))
}

fn table(cursor: &mut Cursor<'_>) -> Result<SpanTable, Error> {
    let name = cursor.name("the name of a table")?;
    let is_partitioned = cursor.accept_word("PARTITIONED");
    let partition = is_partitioned.then(|| cursor.name("the name of a column"));
    let partition = partition.transpose()?;
    Ok(SpanTable { name, partition })
}

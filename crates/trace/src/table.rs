//! The macro that declares a table: its columns, its row type, and the methods of every table.

macro_rules! table {
    (
        $(#[$table_doc:meta])*
        $table:ident of $(#[$row_doc:meta])* $row:ident {
            $($(#[$doc:meta])* $column:ident: $type:ty,)*
        }
    ) => {
        $(#[$row_doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $row {
            $($(#[$doc])* pub $column: $type,)*
        }

        $(#[$table_doc])*
        #[derive(Clone, Debug)]
        pub struct $table {
            $($(#[$doc])* pub $column: $crate::column::Column<$type>,)*
        }

        impl Default for $table {
            fn default() -> Self {
                // A constant, so that it is copied as one block.
                const EMPTY: $table = $table {
                    $($column: $crate::column::Column::new(),)*
                };
                EMPTY
            }
        }

        impl $table {
            /// Adds a row and returns its number.
            #[inline]
            pub fn push(&mut self, row: $row) -> usize {
                let number = self.len();
                $(self.$column.push(row.$column);)*
                number
            }

            /// The number of rows.
            #[inline]
            pub fn len(&self) -> usize {
                table!(@first self $($column)*).len()
            }

            /// Whether there are no rows.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// One row, assembled from its columns.
            ///
            /// # Panics
            /// If there is no such row.
            #[inline]
            pub fn row(&self, number: usize) -> $row {
                $row { $($column: self.$column.get(number),)* }
            }

            /// All rows in order.
            pub fn rows(&self) -> impl Iterator<Item = $row> + '_ {
                (0..self.len()).map(|number| self.row(number))
            }

            /// Puts the rows in the order given by `order`, column by column.
            pub fn permute(&mut self, order: &[u32]) {
                $(self.$column = self.$column.permuted(order);)*
            }

            /// Gives the ids in all columns their new values.
            pub(crate) fn remap(&mut self, to: &mut impl $crate::remap::Remap) {
                $($crate::remap::remap_column(&mut self.$column, to);)*
            }

            /// Appends the rows of another table that are to be kept, by their numbers.
            pub(crate) fn append(&mut self, other: Self, keep: impl Fn(usize) -> bool) {
                for row in (0..other.len()).filter(|row| keep(*row)) {
                    $(self.$column.push(other.$column.get(row));)*
                }
            }

            /// Adds a row in which every id is this number.
            #[cfg(test)]
            #[allow(dead_code, reason = "records have rows of their own")]
            pub(crate) fn push_sample(&mut self, id: u32) {
                use $crate::remap::Value;
                $(self.$column.push(<$type as Value>::sample(id));)*
            }

            /// The columns: the name, what its ids are numbers of, and the ids.
            #[cfg(test)]
            pub(crate) fn id_columns(
                &self,
            ) -> Vec<(&'static str, Option<$crate::remap::IdKind>, Vec<u32>)> {
                use $crate::remap::Value;
                vec![$((
                    stringify!($column),
                    <$type as Value>::KIND,
                    self.$column.iter().map(Value::raw_id).collect(),
                ),)*]
            }

            /// Memory used, bytes.
            pub fn heap_bytes(&self) -> usize {
                0 $(+ self.$column.heap_bytes())*
            }
        }
    };
    (@first $self:ident $first:ident $($rest:ident)*) => { $self.$first };
}

pub(crate) use table;

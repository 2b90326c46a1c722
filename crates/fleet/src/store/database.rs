//! The one door to a database: both speak the same SQL here, with parameters `$1`, `$2`, … in the order of their first use.

use crate::error::{FleetError, FleetResult};

/// A value in a row, or of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum SqlValue {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Any other.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A row of an answer.
pub type SqlRow = Vec<SqlValue>;

/// A connection.
pub trait FleetDatabase: Send {
    /// Runs statements without parameters.
    ///
    /// # Errors
    /// What the database says.
    fn batch(&mut self, sql: &str) -> FleetResult<()>;

    /// Runs a statement; how many rows it changed.
    ///
    /// # Errors
    /// What the database says.
    fn execute(&mut self, sql: &str, parameters: &[SqlValue]) -> FleetResult<u64>;

    /// Runs a query.
    ///
    /// # Errors
    /// What the database says.
    fn query(&mut self, sql: &str, parameters: &[SqlValue]) -> FleetResult<Vec<SqlRow>>;

    /// Begins a transaction that will write.
    ///
    /// # Errors
    /// What the database says.
    fn begin(&mut self) -> FleetResult<()>;

    /// Keeps other servers out of a table until the end of the transaction.
    ///
    /// # Errors
    /// What the database says.
    fn lock(&mut self, table: &str) -> FleetResult<()>;

    /// Replaces `{id}` and `{blob}` by what this database calls a counted key and bytes.
    fn dialect(&self, sql: &str) -> String;

    /// Whether the connection still works, as far as it knows.
    fn is_open(&self) -> bool;
}

/// Runs `work` in a transaction: all of it or nothing.
///
/// # Errors
/// Those of `work`, and of the commit.
pub fn transaction<T>(
    database: &mut dyn FleetDatabase,
    work: impl FnOnce(&mut dyn FleetDatabase) -> FleetResult<T>,
) -> FleetResult<T> {
    database.begin()?;
    let done = work(database).and_then(|done| database.batch("COMMIT").map(|()| done));
    if done.is_err() {
        // A lost connection has rolled back by itself.
        let _ = database.batch("ROLLBACK");
    }
    done
}

impl SqlValue {
    /// A whole number.
    pub const fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// A number.
    #[allow(clippy::cast_precision_loss)] // counts, far below 2^53
    pub const fn real(&self) -> Option<f64> {
        match self {
            Self::Real(value) => Some(*value),
            Self::Integer(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(value) => Some(value.clone()),
            _ => None,
        }
    }
}

/// The first number of the first row; `None`: there is no row, or no number in it.
pub(crate) fn first_number(rows: &[SqlRow]) -> Option<i64> {
    rows.first()?.first()?.integer()
}

/// A row that is read from left to right.
#[derive(Debug)]
pub struct RowReader(std::vec::IntoIter<SqlValue>);

impl RowReader {
    /// Reads `row`.
    pub fn new(row: SqlRow) -> Self {
        Self(row.into_iter())
    }

    fn next(&mut self) -> FleetResult<SqlValue> {
        let missing = || FleetError::Foreign("a row of the store is too short".to_owned());
        self.0.next().ok_or_else(missing)
    }

    /// The next whole number; 0 where there is none.
    pub fn integer(&mut self) -> FleetResult<i64> {
        Ok(self.next()?.integer().unwrap_or(0))
    }

    /// The next whole number, if there is one.
    pub fn maybe_integer(&mut self) -> FleetResult<Option<i64>> {
        Ok(self.next()?.integer())
    }

    /// The next number, if there is one.
    pub fn real(&mut self) -> FleetResult<Option<f64>> {
        Ok(self.next()?.real())
    }

    /// The next text; empty where there is none.
    pub fn text(&mut self) -> FleetResult<String> {
        Ok(self.next()?.text().unwrap_or_default())
    }

    /// The next text, if there is one.
    pub fn maybe_text(&mut self) -> FleetResult<Option<String>> {
        Ok(self.next()?.text())
    }

    /// The next bytes.
    pub fn bytes(&mut self) -> FleetResult<Vec<u8>> {
        match self.next()? {
            SqlValue::Bytes(bytes) => Ok(bytes),
            _ => Ok(Vec::new()),
        }
    }
}

impl From<i64> for SqlValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<bool> for SqlValue {
    fn from(value: bool) -> Self {
        Self::Integer(i64::from(value))
    }
}

impl From<f64> for SqlValue {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for SqlValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

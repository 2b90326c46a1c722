//! PostgreSQL, by its wire protocol.

use std::collections::HashMap;
use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use bytes::BytesMut;
use postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};

use super::database::{FleetDatabase, SqlRow, SqlValue};
use crate::error::{FleetError, FleetResult};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a statement may take, in milliseconds: a lock that another holds is given up.
const STATEMENT_MS: u32 = 30_000;

/// A connection.
pub struct PostgresDatabase {
    client: Client,
    statements: HashMap<String, Statement>,
}

impl PostgresDatabase {
    /// Connects to a URL `postgres://…`, which is also what `psql` takes.
    pub fn open(url: &str) -> FleetResult<Self> {
        let wrong = |error: &postgres::Error| FleetError::Refused(format!("--store: {error}"));
        let mut config = Config::from_str(url).map_err(|error| wrong(&error))?;
        config.connect_timeout(CONNECT).application_name("ioalign");
        let client = config.connect(NoTls).map_err(|error| failed(&error))?;
        let mut database = Self {
            client,
            statements: HashMap::new(),
        };
        database.batch(&format!(
            "SET statement_timeout = {STATEMENT_MS}; SET client_min_messages = warning"
        ))?;
        Ok(database)
    }

    fn prepared(&mut self, sql: &str) -> Result<Statement, postgres::Error> {
        if let Some(ready) = self.statements.get(sql) {
            return Ok(ready.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn borrowed(parameters: &[SqlValue]) -> Vec<&(dyn ToSql + Sync)> {
    parameters
        .iter()
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}

impl FleetDatabase for PostgresDatabase {
    fn batch(&mut self, sql: &str) -> FleetResult<()> {
        self.client
            .batch_execute(sql)
            .map_err(|error| failed(&error))
    }

    fn execute(&mut self, sql: &str, parameters: &[SqlValue]) -> FleetResult<u64> {
        let statement = self.prepared(sql).map_err(|error| failed(&error))?;
        let done = self.client.execute(&statement, &borrowed(parameters));
        done.map_err(|error| failed(&error))
    }

    fn query(&mut self, sql: &str, parameters: &[SqlValue]) -> FleetResult<Vec<SqlRow>> {
        let statement = self.prepared(sql).map_err(|error| failed(&error))?;
        let rows = self.client.query(&statement, &borrowed(parameters));
        let rows = rows.map_err(|error| failed(&error))?;
        let read = rows.iter().map(|row| {
            let columns = 0..row.len();
            columns
                .map(|column| row.try_get(column))
                .collect::<Result<SqlRow, _>>()
        });
        read.collect::<Result<_, _>>()
            .map_err(|error| failed(&error))
    }

    fn begin(&mut self) -> FleetResult<()> {
        self.batch("BEGIN")
    }

    fn lock(&mut self, table: &str) -> FleetResult<()> {
        self.batch(&format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    }

    fn dialect(&self, sql: &str) -> String {
        sql.replace("{id}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
            .replace("{blob}", "BYTEA")
    }

    fn is_open(&self) -> bool {
        !self.client.is_closed()
    }
}

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(value) if *kind == Type::FLOAT8 => number(*value).to_sql(kind, out),
            Self::Integer(value) if *kind == Type::INT4 => i32::try_from(*value)?.to_sql(kind, out),
            Self::Integer(value) => value.to_sql(kind, out),
            Self::Real(value) => value.to_sql(kind, out),
            Self::Text(value) => value.to_sql(kind, out),
            Self::Bytes(value) => value.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [
            Type::INT4,
            Type::INT8,
            Type::FLOAT8,
            Type::TEXT,
            Type::VARCHAR,
            Type::BYTEA,
        ]
        .contains(kind)
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    to_sql_checked!();
}

#[allow(clippy::cast_precision_loss)] // counts, far below 2^53
const fn number(value: i64) -> f64 {
    value as f64
}

impl<'a> FromSql<'a> for SqlValue {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::INT4 => Self::Integer(i64::from(i32::from_sql(kind, raw)?)),
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::FLOAT8 => Self::Real(f64::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(Vec::from_sql(kind, raw)?),
            _ => Self::Text(String::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        <Self as ToSql>::accepts(kind)
    }
}

/// With what the server says: the error's own text is only `db error`.
fn failed(error: &postgres::Error) -> FleetError {
    let said = error
        .as_db_error()
        .map(|said| format!("{}: {}", said.code().code(), said.message()));
    let cause = || {
        error
            .source()
            .map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
    };
    FleetError::Unavailable(format!("PostgreSQL: {}", said.unwrap_or_else(cause)))
}

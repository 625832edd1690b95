//! What `fencehound check` does with C programs.
//!
//! [`subjects`] makes the program, [`found`] runs again and keeps what a search has found, [`shown`] shows it,
//! [`consequences`] says what comes of it in relaxed executions, and [`searched`] judges.

pub(crate) mod consequences;
pub(crate) mod found;
pub(crate) mod searched;
pub(crate) mod shown;
pub(crate) mod subjects;

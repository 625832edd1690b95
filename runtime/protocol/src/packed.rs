//! Bytes in messages, which only their maker can read.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes, in JSON as base 64 text: four letters for three bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Packed(pub Vec<u8>);

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&data_encoding::BASE64.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(PackedVisitor)
    }
}

/// The reader of [`Packed`] bytes.
struct PackedVisitor;

impl Visitor<'_> for PackedVisitor {
    type Value = Packed;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("bytes in base 64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Packed, E> {
        data_encoding::BASE64.decode(text.as_bytes()).map(Packed).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Packed;

    #[test]
    fn bytes_come_back() {
        let packed = Packed((0..=255).collect());
        let text = serde_json::to_string(&packed).unwrap();
        assert_eq!(serde_json::from_str::<Packed>(&text).unwrap(), packed);
        assert!(serde_json::from_str::<Packed>("\"AB\"").is_err());
    }
}

//! Losses by name.

use super::Loss;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Squared => "squared",
            Self::Huber(h) => return f.pad(&format!("huber={h}")),
            Self::Absolute => "absolute",
            Self::EpsInsensitive(eps) => return f.pad(&format!("eps-insensitive={eps}")),
            Self::Hinge => "hinge",
            Self::SquaredHinge => "squared-hinge",
            Self::Logistic => "logistic",
            Self::Linear => "linear",
        })
    }
}

impl FromStr for Loss {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let unknown = || Error::Setting {
            name: "loss",
            expected: "squared, huber=H, absolute, eps-insensitive=E, hinge, squared-hinge, logistic or linear",
            got: name.to_owned(),
        };
        let loss = match name {
            "squared" => Self::Squared,
            "absolute" => Self::Absolute,
            "hinge" => Self::Hinge,
            "squared-hinge" => Self::SquaredHinge,
            "logistic" => Self::Logistic,
            "linear" => Self::Linear,
            _ => {
                let (kind, number) = name.split_once('=').ok_or_else(unknown)?;
                let number = number.parse().map_err(|_| unknown())?;
                match kind {
                    "huber" => Self::Huber(number),
                    "eps-insensitive" => Self::EpsInsensitive(number),
                    _ => return Err(unknown()),
                }
            }
        };
        loss.validate()?;
        Ok(loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_wrong_ones_say_what_would_do() {
        for loss in Loss::ALL {
            assert_eq!(loss.to_string().parse::<Loss>().unwrap(), loss);
        }
        for wrong in [
            "",
            "huber",
            "eps-insensitive",
            "eps-insensitive=-1",
            "eps-insensitive=NaN",
        ] {
            let text = wrong.parse::<Loss>().unwrap_err().to_string();
            assert!(
                text.starts_with("loss: expected ") && text.contains("eps-insensitive=E"),
                "{text}"
            );
        }
        let text = "huber=0".parse::<Loss>().unwrap_err().to_string();
        assert!(text.contains("huber=H with a finite number"), "{text}");
    }
}

//! The tables of the guide, made up: visits to a clinic, and how long the patients stay.

/// Numbers that look random and are the same everywhere.
struct Dice(u64);

impl Dice {
    /// A number from 0 to 1.
    fn roll(&mut self) -> f64 {
        // Knuth's multiplier and increment; the high bits are the good ones
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }

    /// A number around 0, of spread 1.
    fn bell(&mut self) -> f64 {
        ((0..6).map(|_| self.roll()).sum::<f64>() - 3.0) / 0.5f64.sqrt()
    }
}

/// The header and some rows; dates go on from `day` on, wards are drawn from `wards`.
///
/// Whoever looks ill gets a blood test, so that a hole is good news; the scales of a ward fail at random.
fn visits(numbers: std::ops::Range<usize>, wards: &[&str], dice: &mut Dice) -> String {
    let mut text = "visit,patient,date,ward,age,pulse,weight,lactate,crp,stay\n".to_owned();
    for number in numbers {
        let patient = number * 7 % 240;
        let age = 25 + (patient * 37) % 61;
        let frailty = (patient * 53 % 41) as f64 / 20.0 - 1.0;
        let ill = dice.bell();
        let ward = wards[(dice.roll() * wards.len() as f64) as usize];
        let pulse = 78.0 + 9.0 * ill + 4.0 * dice.bell();
        let weight = 74.0 + 11.0 * dice.bell();
        let lactate = 1.6 + 0.7 * ill + 0.25 * dice.bell();
        let crp = 30.0 + 22.0 * ill + 8.0 * dice.bell();
        let stay = 5.0
            + 2.0 * ill
            + 0.04 * (age as f64 - 55.0)
            + 0.6 * frailty
            + if ward == "north" { 0.8 } else { 0.0 }
            + 0.7 * dice.bell();
        let mut cell = |value: f64, digits: usize, chance: f64| match dice.roll() < chance {
            true => String::new(),
            false => format!("{value:.digits$}"),
        };
        let untested = if ill > 0.3 { 0.1 } else { 0.65 };
        let cells = [
            cell(pulse, 0, 0.05),
            cell(weight, 1, 0.15),
            cell(lactate.max(0.3), 1, untested),
            cell(crp.max(1.0), 0, untested),
            cell(stay.max(0.5), 1, 0.0),
        ];
        let (month, day) = (1 + number / 28 / 3 % 12, 1 + number / 3 % 28);
        text += &format!(
            "V{number:04},P{patient:03},2024-{month:02}-{day:02},{ward},{age},{}\n",
            cells.join(",")
        );
    }
    text
}

/// The files of the guide: their names and what is in them.
pub(super) fn all() -> [(&'static str, String); 2] {
    let mut dice = Dice(2011);
    let visits_so_far = visits(0..700, &["north", "south", "east"], &mut dice);
    let next = visits(700..900, &["north", "south", "east", "annex"], &mut dice);
    [("visits.csv", visits_so_far), ("next.csv", next)]
}

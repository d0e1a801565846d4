//! Which of several names was probably meant.

/// The candidate nearest to `name` by edit distance, if one is near enough to be a slip of the pen.
///
/// Case does not count. The first of several equally near ones wins.
///
/// ```
/// assert_eq!(gapfit_io::closest("pirce", ["size", "price"]), Some("price"));
/// assert_eq!(gapfit_io::closest("weather", ["size", "price"]), None);
/// ```
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = letters(name);
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &letters(candidate)), candidate))
        .filter(|&(distance, _)| distance <= (wanted.len() / 3).max(1) && distance < wanted.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

fn letters(name: &str) -> Vec<char> {
    name.trim().chars().flat_map(char::to_lowercase).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(a: &str, b: &str) -> usize {
        distance(&letters(a), &letters(b))
    }

    #[test]
    fn each_kind_of_slip_costs_one() {
        assert_eq!(between("price", "price"), 0);
        for slip in ["prices", "pric", "prize", "pirce"] {
            assert_eq!(between("price", slip), 1, "{slip}");
            assert_eq!(between(slip, "price"), 1, "{slip}");
        }
        assert_eq!(between("", "abc"), 3);
    }

    #[test]
    fn only_a_near_name_is_offered() {
        assert_eq!(closest("Medv", ["crim", "medv"]), Some("medv"));
        assert_eq!(closest("y", ["x", "z"]), None);
        assert_eq!(closest("target", []), None);
    }
}

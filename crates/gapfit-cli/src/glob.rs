//! Patterns that stand for files, for shells that leave them alone.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use crate::hint::Hinted;

/// The files that these paths and patterns stand for, those of a pattern by name. A file that is there is never a
/// pattern.
pub(crate) fn expand(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::with_capacity(given.len());
    for path in given {
        if !is_pattern(&path.to_string_lossy()) || path.exists() {
            files.push(path.clone());
            continue;
        }
        let mut found = matches(path);
        if found.is_empty() {
            return Err(Hinted::error(
                format!(
                    "{}: expected files that match the pattern, got none",
                    path.display()
                ),
                "* stands for any letters, ? for one, [a-c] for one of some; look at the folder and the letters",
            ));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The files that match, in any order.
fn matches(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let text = component.as_os_str().to_string_lossy();
        found = match component {
            Component::Normal(_) if is_pattern(&text) => {
                let letters: Vec<char> = text.chars().collect();
                found.iter().flat_map(|at| entries(at, &letters)).collect()
            }
            _ => found.iter().map(|at| at.join(component)).collect(),
        };
    }
    found.retain(|path| path.is_file());
    found
}

/// What a folder has that matches; hidden entries only where the pattern begins with the dot.
fn entries(folder: &Path, pattern: &[char]) -> Vec<PathBuf> {
    let here = match folder == Path::new("") {
        true => Path::new("."),
        false => folder,
    };
    let Ok(entries) = fs::read_dir(here) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let is_match = |name: &std::ffi::OsString| {
        let name: Vec<char> = name.to_string_lossy().chars().collect();
        (name.first() != Some(&'.') || pattern.first() == Some(&'.')) && fits(pattern, &name)
    };
    let names = names.filter(is_match);
    names.map(|name| folder.join(name)).collect()
}

/// Whether a name fits a pattern.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let Some((&first, rest)) = pattern.split_first() else {
        return name.is_empty();
    };
    if first == '*' {
        return (0..=name.len()).any(|n| fits(rest, &name[n..]));
    }
    let Some((&letter, others)) = name.split_first() else {
        return false;
    };
    match (first, set(rest)) {
        ('?', _) => fits(rest, others),
        ('[', Some((is_in, rest))) => is_in(letter) && fits(rest, others),
        _ => first == letter && fits(rest, others),
    }
}

/// Which letters a set behind its bracket stands for, and what comes after it.
fn set(pattern: &[char]) -> Option<(impl Fn(char) -> bool, &[char])> {
    let is_not = matches!(pattern.first(), Some('!' | '^'));
    let start = usize::from(is_not);
    // a bracket that comes first is one of the letters
    let length = pattern.get(start + 1..)?.iter().position(|&c| c == ']')?;
    let (letters, rest) = (
        &pattern[start..=start + length],
        &pattern[start + length + 2..],
    );
    let is_in = move |letter: char| {
        let range = |at: usize| match letters.get(at..at + 3) {
            Some(&[from, '-', to]) => (from..=to).contains(&letter),
            _ => false,
        };
        is_not != (letters.contains(&letter) || (0..letters.len()).any(range))
    };
    Some((is_in, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits_text(pattern: &str, name: &str) -> bool {
        let [pattern, name] = [pattern, name].map(|text| text.chars().collect::<Vec<_>>());
        fits(&pattern, &name)
    }

    #[test]
    fn patterns_stand_for_what_shells_take_them_for() {
        for (pattern, yes, no) in [
            ("*.csv", "a.csv", "a.csv.gz"),
            ("part-*.parquet", "part-.parquet", "port-1.parquet"),
            ("a?c", "abc", "ac"),
            ("[a-c]1", "b1", "d1"),
            ("[!a-c]1", "d1", "b1"),
            ("[]x]", "]", "["),
            ("a[b", "a[b", "ab"),
            ("*a*b*", "xaxbx", "xbxax"),
            ("[-x]", "-", "a"),
        ] {
            assert!(fits_text(pattern, yes), "{pattern} {yes}");
            assert!(!fits_text(pattern, no), "{pattern} {no}");
        }
    }

    #[test]
    fn files_come_by_name_and_hidden_ones_only_when_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).unwrap();
        for name in ["b.csv", "a.csv", ".c.csv", "sub/d.csv", "[x].csv"] {
            fs::write(path(name), "").unwrap();
        }
        let expand = |pattern: &str| expand(&[path(pattern)]).unwrap();
        assert_eq!(expand("*.csv"), ["[x].csv", "a.csv", "b.csv"].map(path));
        assert_eq!(expand(".*.csv"), [path(".c.csv")]);
        assert_eq!(expand("s*/*"), [path("sub/d.csv")]);
        assert_eq!(expand("[x].csv"), [path("[x].csv")], "a file that is there");
        assert!(super::expand(&[path("*.parquet")]).is_err());
    }
}

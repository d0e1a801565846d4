//! One page about several targets.

use gapfit_report::{Fact, Figure, Page, Section};

/// The section that is the same for every target of a table.
pub(crate) const TABLE: &str = "The table";

/// The pages of targets, which come with their names, as one: what they have in common once, at the end, the
/// rest target by target. A single page is left as it is.
pub(crate) fn joined(mut pages: Vec<(String, Page)>) -> Page {
    if pages.len() == 1 {
        return pages.swap_remove(0).1;
    }
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    let title = match pages.first() {
        Some((name, page)) => page.title.replacen(name, &names.join(", "), 1),
        None => String::new(),
    };
    let leads: Vec<&str> = pages.iter().map(|(_, page)| page.lead.as_str()).collect();
    let mut whole = Page {
        title,
        lead: leads.join(" "),
        facts: facts(&pages),
        ..Page::default()
    };
    let mut table = None;
    for (t, (name, page)) in pages.into_iter().enumerate() {
        let is_new = |warning: &String| !whole.warnings.contains(warning);
        let warnings: Vec<String> = page.warnings.into_iter().filter(is_new).collect();
        whole.warnings.extend(warnings);
        for section in page.sections {
            match section.title == TABLE {
                true => table = Some(section),
                false => whole.sections.push(about(section, &name, t)),
            }
        }
    }
    whole.sections.extend(table);
    whole
}

/// The facts: those that all pages share, then those of each target.
fn facts(pages: &[(String, Page)]) -> Vec<Fact> {
    let is_common = |fact: &Fact| pages.iter().all(|(_, page)| page.facts.contains(fact));
    let first = pages.iter().take(1).flat_map(|(_, page)| &page.facts);
    let common = first.filter(|fact| is_common(fact)).cloned();
    let own = pages.iter().flat_map(|(name, page)| {
        let own = page.facts.iter().filter(|fact| !is_common(fact));
        own.map(move |fact| Fact {
            name: format!("{name}: {}", fact.name),
            value: fact.value.clone(),
        })
    });
    common.chain(own).collect()
}

fn about(section: Section, target: &str, t: usize) -> Section {
    let figures = section.figures.into_iter();
    Section {
        title: format!("{target}: {}", section.title),
        figures: figures
            .map(|figure: Figure| figure.about(target, t))
            .collect(),
    }
}

//! The document as a page that stands alone: no script, no file beside it.

use super::chart::escaped;
use super::{Block, Document, Table};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
    table{border-collapse:collapse;margin:1rem 0;font-size:13px;display:block;overflow-x:auto}\
    th,td{border-bottom:1px solid #ddd;padding:.2rem .6rem;text-align:right;white-space:nowrap}\
    th:first-child,td:first-child,td:nth-child(2){text-align:left}\
    svg{max-width:40rem;display:block}.better{color:#00724f}.worse{color:#b03a00;font-weight:bold}td.reason{text-align:left;color:#777}";

impl Document {
    /// The document as HTML.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let blocks: String = self.blocks.iter().map(part).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{blocks}</body>\n</html>\n"
        )
    }
}

fn part(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h2>{}</h2>\n", inline(text)),
        Block::Text(text) => format!("<p>{}</p>\n", inline(text)),
        Block::List(points) => {
            let points = points
                .iter()
                .map(|point| format!("<li>{}</li>\n", inline(point)));
            format!("<ul>\n{}</ul>\n", points.collect::<String>())
        }
        Block::Table(table) => table.html(),
        Block::Figure(_, chart) => format!("<figure>\n{}</figure>\n", chart.svg()),
    }
}

impl Table {
    fn html(&self) -> String {
        let line = |row: &Vec<String>, tag: &str| {
            let cells: String = (0..row.len()).map(|j| cell(row, j, tag)).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(|row| line(row, "td")).collect();
        format!("<table>\n{}{rows}</table>\n", line(&self.header, "th"))
    }
}

/// One cell; the reason why a row was not run takes the room of all that it lacks.
fn cell(row: &[String], j: usize, tag: &str) -> String {
    let is_reason = |cell: &String| cell.starts_with("not run: ");
    match row[j].as_str() {
        "better" | "worse" => format!("<{tag} class=\"{0}\">{0}</{tag}>", row[j]),
        "" if row[..j].iter().any(is_reason) => String::new(),
        reason if is_reason(&row[j]) => {
            let n = row.len() - j;
            format!(
                "<{tag} colspan=\"{n}\" class=\"reason\">{}</{tag}>",
                escaped(reason)
            )
        }
        text => format!("<{tag}>{}</{tag}>", escaped(text)),
    }
}

/// Text with the little Markdown that our paragraphs have: `code`, *emphasis*, **strong**.
fn inline(text: &str) -> String {
    let text = between(&escaped(text), "`", "code");
    between(&between(&text, "**", "strong"), "*", "em")
}

/// Every second gap between `mark`s in an element of this name.
fn between(text: &str, mark: &str, name: &str) -> String {
    let parts: Vec<&str> = text.split(mark).collect();
    // A mark without its twin is text.
    let n_paired = (parts.len() - 1) / 2 * 2;
    let mut html = parts[0].to_owned();
    for (i, part) in parts.iter().enumerate().skip(1) {
        html += &match i {
            _ if i > n_paired => mark.to_owned(),
            _ if i % 2 == 1 => format!("<{name}>"),
            _ => format!("</{name}>"),
        };
        html += part;
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_takes_the_room_of_the_figures_that_are_not_there() {
        let row = ["P", "not run: file <x> not found", "", ""].map(str::to_owned);
        let html: String = (0..4).map(|j| cell(&row, j, "td")).collect();
        assert_eq!(
            html,
            "<td>P</td><td colspan=\"3\" class=\"reason\">not run: file &lt;x&gt; not found</td>"
        );
    }

    #[test]
    fn paragraphs_keep_their_emphasis_and_nothing_else_is_markup() {
        assert_eq!(
            inline("**a** is *b* by `c<d>`, 2 * 3"),
            "<strong>a</strong> is <em>b</em> by <code>c&lt;d&gt;</code>, 2 * 3"
        );
    }
}

// The pages under test, made by the real command, beside the JSON of the same runs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const gapfit = process.env.GAPFIT ?? "../../target/debug/gapfit";

// A small generator of our own: the same table in every run.
const random = (() => {
  let state = 20110714;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
})();

// Names as tables have them, and worse.
const names = ["area", "rooms", "<script>alert(1)</script>", "\"quoted\" & 'odd'", "a name that goes on and on until no label can hold it", "größe 東京", "kind"];

function table(rows) {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const lines = [[...names, "rent"].map(quoted).join(",")];
  for (let i = 0; i < rows; i++) {
    const x = names.slice(0, -1).map(() => random() * 2 - 1);
    x[1] = x[0] + 0.3 * (random() - 0.5);
    const kind = ["flat", "house", "<b>loft</b>"][Math.floor(random() * 3)];
    const rent = 5 + 3 * x[0] + x[2] - 2 * x[3] + (kind === "house" ? 1 : 0) + 0.5 * (random() - 0.5);
    const cells = [...x.map((v) => v.toFixed(4)), quoted(kind)].map((cell) => (random() < 0.2 ? "" : cell));
    lines.push([...cells, rent.toFixed(4)].join(","));
  }
  return lines.join("\n") + "\n";
}

export function make() {
  const folder = mkdtempSync(join(tmpdir(), "gapfit-browser-"));
  const at = (name) => join(folder, name);
  writeFileSync(at("homes.csv"), table(600));
  const run = (...args) => execFileSync(gapfit, ["--quiet", ...args, "--json"], { encoding: "utf8" });
  const compared = run("compare", at("homes.csv"), "--target", "rent", "--folds", "3", "--methods", "zero,mean,mask,irr:mean", "--report", at("compare.html"), "--figures", at("figures"));
  const fitted = run("fit", at("homes.csv"), "--target", "rent", "--output", at("homes.gapfit"), "--report", at("fit.html"));
  run("compare", at("homes.csv"), "--target", "kind", "--folds", "3", "--methods", "mean,irr:mean", "--alphas", "0.01", "--gammas", "0,1", "--report", at("classes.html"));
  const streamed = run("stream", at("homes.csv"), "--target", "rent", "--ignore", "kind", "--step", "theory", "--radius", "5", "--regret", "--report", at("stream.html"));
  return {
    folder,
    pages: ["compare", "fit", "classes", "stream"].map((name) => ({ name, path: at(`${name}.html`), html: readFileSync(at(`${name}.html`), "utf8") })),
    compare: JSON.parse(compared),
    fit: JSON.parse(fitted),
    stream: streamed.trim().split("\n").map((line) => JSON.parse(line)),
  };
}

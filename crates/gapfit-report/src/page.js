"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // A method that is hidden in one legend is hidden everywhere.
  const hidden = new Set();
  const showSeries = () => {
    for (const group of all(".plot [data-series]")) group.classList.toggle("off", hidden.has(group.dataset.series));
    for (const button of all(".legend button")) button.setAttribute("aria-pressed", !hidden.has(button.parentNode.dataset.key));
  };
  for (const key of all(".legend li")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...key.childNodes);
    button.addEventListener("click", () => {
      const name = key.dataset.key;
      if (!hidden.delete(name)) hidden.add(name);
      showSeries();
    });
    key.append(button);
  }
  showSeries();

  // Columns of numbers are sorted by their exact values; a cell without one comes last.
  const sortBy = (table, column, sign) => {
    const body = table.tBodies[0];
    const value = (row) => {
      const cell = row.cells[column];
      return "value" in cell.dataset ? Number(cell.dataset.value) : cell.classList.contains("n") ? NaN : cell.textContent;
    };
    const order = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (typeof x === "string") return sign * x.localeCompare(y);
      return Number.isNaN(x) - Number.isNaN(y) || sign * (x - y) || 0;
    };
    body.append(...[...body.rows].sort(order));
  };
  for (const table of all("table")) {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => {
        const isUp = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", isUp ? "descending" : "ascending");
        sortBy(table, column, isUp ? -1 : 1);
      });
      head.replaceChildren(button);
    });
  }

  // What is said about a mark moves from its title, which browsers show late, to the tip.
  const tip = document.getElementById("tip");
  const said = new WeakMap();
  let at = null;
  for (const title of all(".plot title")) {
    said.set(title.parentNode, title.textContent);
    title.parentNode.setAttribute("data-mark", "");
    title.remove();
  }
  for (const title of all(".legend title")) title.remove();
  const show = (mark) => {
    at?.classList.remove("at");
    at = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("at");
    tip.textContent = said.get(mark);
    const box = mark.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const page = document.documentElement.clientWidth;
    const left = Math.min(Math.max(8, box.left + box.width / 2 - own.width / 2), page - own.width - 8);
    const top = box.top > own.height + 12 ? box.top - own.height - 8 : box.bottom + 8;
    tip.style.left = `${left + window.scrollX}px`;
    tip.style.top = `${top + window.scrollY}px`;
  };
  for (const plot of all(".plot")) {
    plot.tabIndex = 0;
    plot.setAttribute("aria-label", `${plot.getAttribute("aria-label")}: arrow keys go from mark to mark`);
    plot.addEventListener("pointerover", (event) => show(event.target.closest("[data-mark]")));
    plot.addEventListener("pointerleave", () => show(null));
    plot.addEventListener("blur", () => show(null));
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") show(null);
      if (!step) return;
      event.preventDefault();
      const marks = all("[data-mark]", plot).filter((mark) => !mark.closest(".off"));
      const before = marks.indexOf(at);
      const next = before < 0 ? (step > 0 ? 0 : marks.length - 1) : (before + step + marks.length) % marks.length;
      show(marks[next] ?? null);
    });
  }

  // On paper nothing can be opened.
  window.addEventListener("beforeprint", () => all("details").forEach((part) => (part.open = true)));
})();

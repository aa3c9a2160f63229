// A plain list: sorts by its headings, and shows its first rows until asked for all.
function plainTable(table) {
  const rows = [...table.tBodies[0].rows], headings = [...table.tHead.rows[0].cells];
  const limit = Number(table.dataset.first) || Infinity;
  let sort = null, all = rows.length <= limit + 2;
  const show = () => {
    const value = (row) => {
      const text = row.cells[sort.by].textContent.trim(), number = numberIn(text);
      return Number.isNaN(number) ? text : number;
    };
    const order = (a, b) => {
      const [one, other] = [value(a), value(b)];
      const smaller = typeof one === typeof other ? one < other : typeof one === "number";
      return one === other ? 0 : sort.direction * (smaller ? -1 : 1);
    };
    const sorted = sort ? [...rows].sort(order) : rows;
    table.tBodies[0].append(...sorted);
    sorted.forEach((row, index) => (row.hidden = !all && index >= limit));
    markSorted(headings, sort, (heading) => headings.indexOf(heading));
  };
  headings.forEach((heading, by) => {
    if (!heading.textContent.trim()) return;
    sortable(heading, heading.textContent, () => {
      sort = nextSort(sort, by, heading.classList.contains("n") ? -1 : 1);
      show();
    });
  });
  if (!all) {
    const button = make("button", { type: "button", className: "more", textContent: `show all ${rows.length} rows` });
    button.addEventListener("click", () => {
      all = true;
      button.remove();
      show();
    });
    table.closest(".scroll").after(button);
  }
  show();
}

// A touch has no pointer to rest on a cell: a tap shows what pointing at it would.
function tips() {
  const bar = make("output", { className: "tip", hidden: true });
  document.body.append(bar);
  document.addEventListener("click", ({ target }) => {
    const cell = target.closest?.("td[title]");
    bar.hidden = !cell;
    bar.textContent = cell ? cell.title : "";
  });
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let element = target; element; element = element.parentElement) {
    if (element.tagName === "DETAILS") element.open = true;
  }
  target?.scrollIntoView();
}

for (const details of document.querySelectorAll("details.table")) {
  const start = () => details.open && !details.started && (details.started = new NumberTable(details));
  details.addEventListener("toggle", start);
  start();
}
document.querySelectorAll("table.sortable").forEach(plainTable);
tips();
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav details").open = false;
window.addEventListener("hashchange", openTarget);
if (location.hash) openTarget();

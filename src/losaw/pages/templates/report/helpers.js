// Elements, numbers read from the page, and headings that sort.
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const numberIn = (text) => parseFloat(text.replace("−", "-").replace(/[,<>≥]/g, ""));
const labelled = (words, control) => make("label", {}, make("span", { innerHTML: words }), control);
const menu = (options, change) => {
  const element = make("select", {});
  for (const [value, label] of options) element.append(make("option", { value, innerHTML: label }));
  element.addEventListener("change", change);
  return element;
};

// Descending, ascending, as it was: what a further click on the same heading asks for.
function nextSort(sort, by, first) {
  if (!sort || sort.by !== by) return { by, direction: first };
  return sort.direction === first ? { by, direction: -first } : null;
}

function sortable(heading, label, click) {
  const button = make("button", { type: "button", className: "sort" });
  button.append(...heading.childNodes);
  button.setAttribute("aria-label", `sort by ${label}`);
  button.addEventListener("click", click);
  heading.append(button);
}

function markSorted(headings, sort, of) {
  for (const heading of headings) {
    if (!sort || of(heading) !== sort.by) heading.removeAttribute("aria-sort");
    else heading.setAttribute("aria-sort", sort.direction > 0 ? "ascending" : "descending");
  }
}

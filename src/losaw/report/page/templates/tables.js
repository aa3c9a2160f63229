// Tables of numbers: filter by axis, sort, fold what was not run, pin two methods.
const GRAVITY = ["differs", "off", "undecided", "agrees"];

const pairsOf = (() => {
  const read = {};
  return (study) => (read[study] ??= JSON.parse(document.getElementById(`${study}-pairs`).textContent));
})();

// The paired difference second − first in one place of the grid; null where there is none.
function pairedDifference(pairs, place, first, second) {
  const cell = pairs.places[[...pairs.axes.map((axis) => place[axis]), place.metric].join("|")];
  if (!cell) return null;
  const [one, other] = [first, second].map((name) => cell.methods.indexOf(pairs.methods.indexOf(name)));
  if (one < 0 || other < 0 || one === other) return null;
  const [low, high] = one < other ? [one, other] : [other, one];
  const sign = one < other ? 1 : -1;
  const odd = cell.odd.find((pair) => pair[0] === low && pair[1] === high);
  if (odd) return odd[4] ? { value: sign * odd[2], error: odd[3], n: odd[4] } : null;
  const count = cell.methods.length;
  const errors = (cell.errorList ??= cell.errors.split(" "));
  const means = (cell.meanList ??= cell.means.split(" "));
  const index = low * count - (low * (low + 1)) / 2 + high - low - 1;
  return { value: sign * (means[high] - means[low]), error: Number(errors[index]), n: cell.n };
}

class NumberTable {
  constructor(details) {
    this.table = details.querySelector("table.numbers");
    this.body = this.table.tBodies[0];
    const layout = JSON.parse(details.querySelector("script").textContent);
    Object.assign(this, layout);  // study, axes, rowAxes, columnAxes, rowKeys, columnKeys, fixed
    this.rows = [...this.body.rows].map((element, place) => ({
      element, place, key: this.rowKeys[place], wasRun: !element.classList.contains("unrun"),
      heads: [...element.querySelectorAll("th")], cells: [...element.querySelectorAll("td")],
    }));
    this.columns = this.columnKeys.map((key, index) => ({
      key, index, wasRun: this.rows.some(({ cells }) => !["", "absent"].includes(cells[index].className)),
    }));
    this.headings = [...this.table.tHead.rows].map((row, depth) => {
      let from = 0;
      return [...row.cells].slice(depth ? 0 : this.rowAxes.length).map((element) => {
        const found = { element, from, to: from + element.colSpan };
        from = found.to;
        return found;
      });
    });
    this.chosen = {};
    this.sort = null;
    this.controls = details.querySelector(".controls");
    this.pinned = details.querySelector(".pinned");
    this.addControls();
    this.addSorting();
    this.update();
  }

  addControls() {
    const update = () => this.update();
    const add = (...elements) => this.controls.append(...elements);
    if (this.rows.length > 1 && this.table.querySelector("td.differs, td.off")) {
      this.order = menu([["grave", "cells that differ first"], ["print", "as printed"]], () => {
        this.sort = null;
        this.update();
      });
      add(labelled("rows", this.order));
    }
    for (const [name, { label, values }] of Object.entries(this.axes)) {
      if (values.length < 2) continue;
      const wasRun = this.valuesRun(name);
      const shown = values.map(([, words], index) => [index, words + (wasRun.has(index) ? "" : " (not run)")]);
      const options = [["", "all"], ...shown];
      const select = menu(options, () => {
        this.chosen[name] = select.value;
        this.update();
      });
      select.dataset.axis = name;
      add(labelled(label, select));
    }
    const left = [this.rows, this.columns].map((lines) => lines.filter((line) => !line.wasRun).length);
    if (left[0] || left[1]) {
      const words = [left[0] && `${left[0]} rows`, left[1] && `${left[1]} columns`].filter(Boolean);
      this.all = make("input", { type: "checkbox" });
      this.all.addEventListener("change", update);
      add(make("label", { className: "unrun-switch" }, this.all, ` show ${words.join(" and ")} that were not run`));
    }
    if (document.getElementById(`${this.study}-pairs`) && this.axes.method?.values.length > 1) {
      const known = new Set(pairsOf(this.study).methods);
      const names = this.axes.method.values.filter(([name]) => known.has(name));
      if (names.length > 1) {
        const options = [["", "–"], ...names];
        this.first = menu(options, update);
        this.second = menu(options, update);
        this.first.dataset.pin = "first";
        this.second.dataset.pin = "second";
        add(make("span", { className: "pins" }, labelled("pin", this.first), labelled("beside", this.second)));
      }
    }
    this.count = make("output", { className: "shown" });
    add(this.count);
    this.controls.hidden = false;
  }

  // Which values of an axis any row or column has that was run.
  valuesRun(name) {
    const depth = this.rowAxes.indexOf(name);
    const [lines, at] = depth < 0 ? [this.columns, this.columnAxes.indexOf(name)] : [this.rows, depth];
    return new Set(lines.filter((line) => line.wasRun).map((line) => line.key[at]));
  }

  addSorting() {
    const [last] = this.headings.slice(-1);
    const ask = (by, first) => () => {
      this.sort = nextSort(this.sort, by, first);
      this.update();
    };
    const heads = this.table.tHead.rows.length ? [...this.table.tHead.rows[0].cells] : [];
    this.sorting = heads.slice(0, this.rowAxes.length).map((element, axis) => [element, `head ${axis}`, 1]);
    this.sorting.push(...(last || []).map(({ element, from }) => [element, `column ${from}`, -1]));
    for (const [element, by, first] of this.sorting) sortable(element, element.textContent, ask(by, first));
  }

  shows(key, names, exceptMethod = false) {
    return names.every((name, depth) => {
      const chosen = this.chosen[name];
      return !chosen || (exceptMethod && name === "method") || key[depth] === Number(chosen);
    });
  }

  visible(lines, names, exceptMethod) {
    const all = this.all?.checked;
    return lines.filter((line) => (all || line.wasRun) && this.shows(line.key, names, exceptMethod));
  }

  rank(row, columns) {
    if (this.sort) {
      const [kind, index] = this.sort.by.split(" ");
      if (kind === "head") return this.sort.direction * row.key[index];
      const text = row.cells[index].querySelector(".ours")?.textContent ?? "";
      const value = numberIn(text);
      return Number.isNaN(value) ? Infinity : this.sort.direction * value;
    }
    if (!this.order || this.order.value === "print") return row.place;
    return Math.min(...columns.map(({ index }) => {
      const found = GRAVITY.indexOf(row.cells[index].className);
      return found < 0 || found > 1 ? GRAVITY.length : found;
    }));
  }

  update() {
    const rows = this.visible(this.rows, this.rowAxes);
    const columns = this.visible(this.columns, this.columnAxes);
    const ranks = new Map(rows.map((row) => [row, this.rank(row, columns)]));
    rows.sort((a, b) => (ranks.get(a) === ranks.get(b) ? a.place - b.place : ranks.get(a) - ranks.get(b)));
    const shownRows = new Set(rows), shownColumns = new Set(columns.map(({ index }) => index));
    for (const row of this.rows) {
      row.element.hidden = !shownRows.has(row);
      row.element.classList.remove("unrun");
      row.cells.forEach((cell, index) => (cell.hidden = !shownColumns.has(index)));
    }
    this.body.append(...rows.map(({ element }) => element));
    for (const { element, from, to } of this.headings.flat()) {
      const width = columns.filter(({ index }) => from <= index && index < to).length;
      element.hidden = !width;
      element.colSpan = width || 1;
    }
    rows.forEach((row, index) => {
      const above = index ? rows[index - 1].key : [];
      let same = true;
      row.heads.forEach((head, depth) => {
        same &&= row.key[depth] === above[depth];
        head.classList.toggle("again", same && depth < row.key.length - 1);
      });
      row.element.classList.toggle("group", index > 0 && row.key.length > 1 && row.key[0] !== above[0]);
    });
    const names = new Map(this.sorting.map(([element, by]) => [element, by]));
    markSorted(names.keys(), this.sort, (element) => names.get(element));
    this.table.hidden = !rows.length || !columns.length;
    const all = rows.length === this.rows.length && rows.length;
    this.count.textContent = all ? "" : `${rows.length} of ${this.rows.length} rows`;
    this.compare();
  }

  placeOf(row, column) {
    const place = { ...this.fixed };
    const read = (names, key) => names.forEach((name, depth) => (place[name] = this.axes[name].values[key[depth]][0]));
    read(this.rowAxes, row.key);
    read(this.columnAxes, column.key);
    return place;
  }

  // A table of its own: the rows and columns shown, without the methods.
  compare() {
    this.pinned.replaceChildren();
    const [first, second] = [this.first?.value, this.second?.value];
    if (!first || !second || first === second) return;
    const pairs = pairsOf(this.study);
    const without = (key, names) => key.filter((_, depth) => names[depth] !== "method");
    const cells = new Map(), down = new Map(), across = new Map(), printed = {};
    for (const row of this.visible(this.rows, this.rowAxes, true)) {
      for (const column of this.visible(this.columns, this.columnAxes, true)) {
        const place = this.placeOf(row, column);
        if (place.method !== first && place.method !== second) continue;
        const [r, c] = [without(row.key, this.rowAxes), without(column.key, this.columnAxes)];
        const text = row.cells[column.index].querySelector(".print")?.textContent;
        (printed[`${r};${c}`] ??= {})[place.method] = text ? numberIn(text) : NaN;
        if (place.method !== first) continue;
        const found = pairedDifference(pairs, place, first, second);
        if (!found) continue;
        down.set(`${r}`, r);
        across.set(`${c}`, c);
        cells.set(`${r};${c}`, { ...found, metric: place.metric });
      }
    }
    const labels = Object.fromEntries(this.axes.method.values);
    const title = `${labels[second]} − ${labels[first]}`;
    if (!cells.size) {
      this.pinned.append(make("p", { innerHTML: `No data set shown here has both: ${title}.` }));
      return;
    }
    const shown = { better: 0, worse: 0, open: 0 };
    const [rowNames, columnNames] = [this.rowAxes, this.columnAxes].map((names) => names.filter((n) => n !== "method"));
    const words = (name, index) => {
      const { label, values, numeric } = this.axes[name];
      return numeric ? `${label} = ${values[index][1]}` : values[index][1];
    };
    const head = make("tr", {});
    for (const name of rowNames) head.append(make("th", { innerHTML: this.axes[name].label }));
    for (const key of across.values()) {
      head.append(make("th", { innerHTML: key.map((index, d) => words(columnNames[d], index)).join(", ") || "difference" }));
    }
    const body = make("tbody", {});
    let above = [];
    for (const [r, key] of down) {
      const line = make("tr", {});
      key.forEach((index, depth) => {
        const again = depth < key.length - 1 && key.slice(0, depth + 1).every((value, d) => value === above[d]);
        const className = again ? "again" : "";
        line.append(make("th", { scope: "row", className, innerHTML: words(rowNames[depth], index) }));
      });
      above = key;
      for (const c of across.keys()) {
        const found = cells.get(`${r};${c}`);
        line.append(found ? this.differenceCell(found, printed[`${r};${c}`], first, second, shown) : make("td", {}));
      }
      body.append(line);
    }
    const total = shown.better + shown.worse + shown.open;
    const summary = `Paired difference <b>${title}</b>: of ${total}, the 95 % interval (Student’s t) leaves out zero in `
      + `${shown.better + shown.worse}: ${shown.better} <span class="swatch better">better</span>, `
      + `${shown.worse} <span class="swatch worse">worse</span>. In brackets, the paired standard error.`;
    const table = make("table", { className: "numbers compact" }, make("thead", {}, head), body);
    this.pinned.append(make("p", { innerHTML: summary }), make("div", { className: "scroll" }, table));
  }

  differenceCell({ value, error, n, metric }, printed, first, second, shown) {
    const pairs = pairsOf(this.study);
    const clear = n > 1 && Math.abs(value) > error * pairs.t[n];
    const kind = clear ? (value > 0 === pairs.metrics[metric] ? "better" : "worse") : "open";
    shown[kind] += 1;
    const print = printed[second] - printed[first];
    const spread = n > 1 ? `(${shorten(error.toFixed(3))})` : "";
    const cell = make("td", { className: kind }, make("span", { className: "ours", textContent: signed(value) }));
    const below = make("span", { className: "print", textContent: `${spread} n ${n}` });
    if (!Number.isNaN(print)) below.append(make("br", {}), `print ${signed(print)}`);
    cell.append(below);
    cell.title = `${signed(value, 4)} ± ${shorten(error.toFixed(4))} (paired s.e.), ${n} data sets`;
    return cell;
  }
}

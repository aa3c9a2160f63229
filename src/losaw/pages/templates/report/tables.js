// Tables of numbers: filter by axis, sort, fold rows and columns that were not run.
const GRAVITY = ["differs", "deviates", "undecided", "undecidable", "agrees"];

class NumberTable {
  constructor(details) {
    this.table = details.querySelector("table.numbers");
    this.body = this.table.tBodies[0];
    const layout = JSON.parse(details.querySelector("script").textContent);
    Object.assign(this, layout);  // axes, rowAxes, columnAxes, rowKeys, columnKeys
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
    this.addControls();
    this.addSorting();
    this.update();
  }

  addControls() {
    const update = () => this.update();
    const add = (...elements) => this.controls.append(...elements);
    if (this.rows.length > 1 && this.table.querySelector("td.differs, td.deviates")) {
      this.order = menu([["grave", "cells that differ first"], ["print", "in the order of the paper"]], () => {
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

  shows(key, names) {
    return names.every((name, depth) => {
      const chosen = this.chosen[name];
      return !chosen || key[depth] === Number(chosen);
    });
  }

  visible(lines, names) {
    const all = this.all?.checked;
    return lines.filter((line) => (all || line.wasRun) && this.shows(line.key, names));
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
  }
}

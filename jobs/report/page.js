"use strict";
// Narrows what stands on the page: by words, by time, and sorts tables. It adds text as text alone; without it all stays readable.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HASH = /^#t=([^,]+),([^,]+)$/;
  const rows = [...document.querySelectorAll("tbody tr, .finding")];
  const searched = new Map();
  let range = null;

  const made = (name, text, parent) => {
    const one = document.createElement(name);
    one.textContent = text;
    parent.append(one);
    return one;
  };
  const iso = (ms) => new Date(ms).toISOString();
  const written = (ms) => iso(ms).replace("T", " ").replace("Z", "");

  const isWithin = (one) => {
    if (!range || !one.dataset.from) return true;
    const from = Number(one.dataset.from);
    const until = one.dataset.until ? Number(one.dataset.until) : Infinity;
    return from <= range[1] && until >= range[0];
  };
  const isFound = (one) => {
    const words = searched.get(one.closest("section.table"));
    return !words || one.textContent.toLowerCase().includes(words);
  };
  const narrow = () => {
    for (const one of rows) one.hidden = !(isWithin(one) && isFound(one));
    for (const [section, count] of counts) {
      const own = [...section.querySelectorAll("tbody tr")];
      const shown = own.filter((one) => !one.hidden).length;
      count.textContent = shown === own.length ? "" : `${shown} of ${own.length} rows`;
    }
    for (const said of bars) {
      said.hidden = !range;
      said.firstChild.textContent = range ? `Shown: ${written(range[0])} to ${written(range[1])} UTC, and what has no time. ` : "";
    }
    for (const one of brushes) one.show();
  };

  const counts = new Map();
  for (const section of document.querySelectorAll("section.table")) {
    const table = section.querySelector("table");
    if (!table) continue;
    const tools = document.createElement("p");
    tools.className = "tools";
    const input = made("input", "", tools);
    input.type = "search";
    input.placeholder = "words to look for";
    input.setAttribute("aria-label", `words to look for in ${section.querySelector("h2").textContent}`);
    counts.set(section, made("span", "", tools));
    table.parentElement.before(tools);
    input.addEventListener("input", () => {
      searched.set(section, input.value.trim().toLowerCase());
      narrow();
    });
    [...table.querySelectorAll("th")].forEach((head, place) => sorts(table, head, place));
  }

  function sorts(table, head, place) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const one of table.querySelectorAll("th")) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((one, other) => (down ? -1 : 1) * compared(one.cells[place], other.cells[place])));
    });
  }
  function compared(one, other) {
    const [a, b] = [one, other].map((cell) => cell.dataset.sort);
    if (a !== undefined && b !== undefined) return Number(a) - Number(b);
    if (a !== b) return a === undefined ? 1 : -1;
    return one.textContent.localeCompare(other.textContent);
  }

  const bars = [];
  const brushes = [...document.querySelectorAll("svg.drawing")].map((drawing) => {
    const { from, until, left, right } = Object.fromEntries(Object.entries(drawing.dataset).map(([key, text]) => [key, Number(text)]));
    const height = drawing.viewBox.baseVal.height;
    const shade = document.createElementNS(SVG, "rect");
    shade.setAttribute("class", "brush");
    shade.setAttribute("y", "18");
    shade.setAttribute("height", String(height - 18));
    drawing.append(shade);
    const said = document.createElement("p");
    said.className = "range";
    said.append(document.createTextNode(""));
    const all = made("button", "all times", said);
    all.type = "button";
    all.addEventListener("click", () => asked(null));
    drawing.parentElement.after(said);
    const hint = made("p", "Drag over the drawing: tables and findings are narrowed to that time, which the address then names.", said.parentElement);
    hint.className = "note hint";
    said.after(hint);
    bars.push(said);
    const x = (ms) => left + ((right - left) * (Math.min(Math.max(ms, from), until) - from)) / (until - from);
    const at = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
      return from + ((until - from) * (Math.min(Math.max(point.x, left), right) - left)) / (right - left);
    };
    const draw = (times) => {
      shade.setAttribute("x", times ? String(x(times[0])) : "0");
      shade.setAttribute("width", times ? String(Math.max(x(times[1]) - x(times[0]), 1)) : "0");
    };
    let begun = null;
    const span = (event) => [begun, at(event)].sort((one, other) => one - other).map(Math.round);
    drawing.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch" || event.target.closest("a")) return;
      begun = at(event);
      drawing.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    drawing.addEventListener("pointermove", (event) => begun !== null && draw(span(event)));
    drawing.addEventListener("pointerup", (event) => {
      if (begun === null) return;
      const times = span(event);
      begun = null;
      asked(x(times[1]) - x(times[0]) < 3 ? null : times);
    });
    return { show: () => draw(range) };
  });

  function asked(times) {
    range = times;
    history.replaceState(null, "", times ? `#t=${iso(times[0])},${iso(times[1])}` : "#");
    narrow();
  }
  function read() {
    const found = HASH.exec(location.hash.replaceAll("%3A", ":").replaceAll("%2C", ","));
    const times = found && found.slice(1).map((text) => Date.parse(text));
    if (times && times.every(Number.isFinite)) range = times.sort((one, other) => one - other);
    narrow();
    const target = location.hash.length > 1 && !found && document.getElementById(location.hash.slice(1));
    if (target && target.hidden) asked(null);
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", read);
  read();
})();

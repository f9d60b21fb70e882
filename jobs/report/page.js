// Narrows what stands on the page: by words, by time, and sorts tables. It adds text as text alone; without it all stays readable.
(() => {
  const HASH = /^#t=([^,]+),([^,]+)$/;
  const rows = [...document.querySelectorAll("tbody tr")];
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
    const words = searched.get(one.closest(".table"));
    return !words || one.textContent.toLowerCase().includes(words);
  };
  const reveal = (one) => {
    for (let up = one; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  };
  const narrow = () => {
    for (const one of rows) one.hidden = !(isWithin(one) && isFound(one));
    for (const { own, groups, filter } of found) {
      for (const one of own) one.hidden = !(isWithin(one) && filter.matches(one));
      const isNarrow = filter.isActive() || Boolean(range);
      for (const group of groups) {
        const inside = [...group.querySelectorAll(".finding")];
        group.hidden = inside.every((one) => one.hidden);
        if (isNarrow !== group.classList.contains("narrowed")) group.open = isNarrow;
        group.classList.toggle("narrowed", isNarrow);
      }
      filter.say(own.filter((one) => !one.hidden).length);
      filter.showTimes(range);
    }
    for (const [section, count] of counts) {
      const own = [...section.querySelectorAll("tbody tr")];
      const shown = own.filter((one) => !one.hidden).length;
      const timeless = range ? own.filter((one) => !one.hidden && !one.dataset.from).length : 0;
      const kept = timeless ? `${timeless === shown ? "all" : timeless} without a time: not narrowed` : "";
      count.textContent = [shown === own.length ? "" : `${shown} of ${own.length} rows`, kept].filter(Boolean).join("; ");
    }
    for (const one of brushes) one.show();
  };

  const found = [...document.querySelectorAll(".cluster")].flatMap((cluster) => {
    const own = [...cluster.querySelectorAll(".finding")];
    if (!own.length) return [];
    const part = own[0].closest("section.part");
    const drawing = cluster.querySelector("svg.drawing");
    const times = drawing ? [Number(drawing.dataset.from), Number(drawing.dataset.until)] : [0, Date.now()];
    return [{ own, groups: [...part.querySelectorAll(".group")], filter: filtered(part, own, times, asked, () => narrow()) }];
  });
  const counts = new Map();
  for (const section of document.querySelectorAll(".table")) {
    const table = section.querySelector("table");
    if (!table) continue;
    const tools = document.createElement("p");
    tools.className = "tools";
    const input = made("input", "", tools);
    input.type = "search";
    input.placeholder = "words to look for";
    input.setAttribute("aria-label", `words to look for in ${section.querySelector("h2").textContent}`);
    counts.set(section, made("span", "", section.querySelector("summary")));
    counts.get(section).className = "note count";
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
    if (!one.textContent || !other.textContent) return one.textContent ? -1 : 1;
    return one.textContent.localeCompare(other.textContent);
  }

  const brushes = [...document.querySelectorAll("svg.drawing")].map((svg) => {
    const drawing = drawn(svg);
    const strip = drawing.made("rect", { class: "axis", x: drawing.left, y: 4, width: drawing.right - drawing.left, height: 24 });
    svg.prepend(strip);
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      const [begin, end] = range || drawing.whole, wide = end - begin;
      const step = { ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2], "+": [0.25, -0.25], "=": [0.25, -0.25], "-": [-0.5, 0.5] }[event.key];
      if (event.key === "Escape") asked(null);
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const moved = [Math.max(begin + step[0] * wide, drawing.whole[0]), Math.min(end + step[1] * wide, drawing.whole[1])];
      if (moved[1] - moved[0] >= 1) asked(moved.map(Math.round));
    });
    // What touch-action says of a part of a drawing is not heard by all browsers: the page would move instead.
    strip.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    const shade = drawing.made("rect", { class: "brush", y: 4, height: drawing.height - 4, x: 0, width: 0 });
    const bar = document.createElement("p");
    bar.className = "range";
    const said = made("span", "", bar);
    const all = made("button", "all times", bar);
    all.type = "button";
    all.addEventListener("click", () => asked(null));
    svg.parentElement.after(bar);
    const hint = document.createElement("p");
    hint.className = "note hint";
    hint.textContent = "Drag over the drawing, by touch along the times at its top, or use + - and arrow keys: it then shows that time alone, tables and findings are narrowed to it, and the address names it.";
    bar.after(hint);

    const frame = svg.parentElement;
    const names = drawing.names();
    const fits = () => frame.scrollWidth <= frame.clientWidth;
    const fitted = () => {
      svg.classList.toggle("fits", fits());
      names.setAttribute("transform", `translate(${frame.scrollLeft / svg.getScreenCTM().a} 0)`);
      names.setAttribute("display", frame.scrollLeft ? "inline" : "none");
    };
    addEventListener("resize", fitted);
    frame.addEventListener("scroll", fitted);
    fitted();
    const place = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      return Math.min(Math.max(point.x, drawing.left), drawing.right);
    };
    const shaded = (from, until) => {
      shade.setAttribute("x", String(Math.min(from, until)));
      shade.setAttribute("width", String(Math.abs(until - from)));
    };
    let begun = null;
    svg.addEventListener("pointerdown", (event) => {
      const isFree = event.pointerType !== "touch" || event.target === strip || fits();
      if (event.button !== 0 || !event.isPrimary || !isFree || event.target.closest("a")) return;
      begun = place(event);
      svg.setPointerCapture(event.pointerId);
      if (event.pointerType !== "touch") event.preventDefault();
    });
    svg.addEventListener("pointermove", (event) => begun !== null && shaded(begun, place(event)));
    svg.addEventListener("pointercancel", () => {
      begun = null;
      shaded(0, 0);
    });
    svg.addEventListener("pointerup", (event) => {
      if (begun === null) return;
      const places = [begun, place(event)].sort((one, other) => one - other);
      begun = null;
      shaded(0, 0);
      if (places[1] - places[0] >= 3) asked(places.map((x) => Math.round(drawing.at(x))));
    });
    return {
      show: () => {
        const isDrawn = drawing.show(range);
        bar.hidden = !range;
        said.textContent = range
          ? `Shown: ${written(range[0])} to ${written(range[1])} UTC. ${isDrawn ? "" : "The drawing has nothing of this time and shows all of its own. "}Rows without a time stay in view. `
          : "";
      },
    };
  });

  function asked(times) {
    range = times;
    history.replaceState(null, "", times ? `#t=${iso(times[0])},${iso(times[1])}` : "#");
    narrow();
  }
  function read() {
    const said = HASH.exec(location.hash.replaceAll("%3A", ":").replaceAll("%2C", ","));
    const times = said && said.slice(1).map((text) => Date.parse(text));
    if (times && times.every(Number.isFinite)) range = times.sort((one, other) => one - other);
    narrow();
    const target = location.hash.length > 1 && !said && document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.hidden && range) asked(null);
    if (target.hidden) {
      found.filter(({ own }) => own.includes(target)).forEach(({ filter }) => filter.reset());
      narrow();
    }
    reveal(target);
    target.scrollIntoView();
  }
  // Paper cannot be opened: it gets the list and what proves what is critical, of the rest what the reader has opened.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll(".group:not([open]), .finding.critical:not([open])")];
    for (const one of unfolded) one.open = true;
  });
  addEventListener("afterprint", () => unfolded.forEach((one) => (one.open = false)));
  addEventListener("hashchange", read);
  // A link to where the address leads already changes no address.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && location.hash.length > 1 && link.getAttribute("href") === location.hash) read();
  });
  read();
})();

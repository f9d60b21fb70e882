"use strict";
// Draws a part of the time of a drawing. Marks know theirs: data-t, milliseconds from the begin of the drawing.
const drawn = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LEAST = 1.5, EDGE = 3.5, DIGIT = 6.5, TICKS = 8, SHORTEST = 20, DAY = 86400;
  const ROUND = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY];

  const made = (name, given, parent) => {
    const one = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(given)) one.setAttribute(key, String(value));
    parent.append(one);
    return one;
  };
  const shown = (one, is) => (is ? one.removeAttribute("display") : one.setAttribute("display", "none"));

  return (drawing) => {
    const { from, until, left, right } = Object.fromEntries(Object.entries(drawing.dataset).map(([key, text]) => [key, Number(text)]));
    const marks = [...drawing.querySelectorAll("[data-t]")].map((one) => {
      const [begin, end] = one.dataset.t.split(",").map((ms) => from + Number(ms));
      return { one, begin, end };
    });
    const plots = [...drawing.querySelectorAll(".plot > path")];
    const grid = [...drawing.querySelectorAll(".grid, .tick")];
    const height = drawing.viewBox.baseVal.height;
    const place = (ms, [begin, end]) => left + ((right - left) * (Math.min(Math.max(ms, begin), end) - begin)) / (end - begin);
    const whole = [from, until];
    let view = whole, own = [];

    function put({ one, begin, end }) {
      const isIn = end >= view[0] && begin <= view[1];
      shown(one, isIn);
      if (!isIn) return;
      const at = place(begin, view), to = place(end, view), name = one.classList;
      if (one.tagName === "path") one.setAttribute("transform", `translate(${at} 0)`);
      else if (name.contains("untold")) {
        one.setAttribute("x", String(at + EDGE));
        one.setAttribute("width", String(Math.max(to - at - EDGE, 0)));
      } else if (name.contains("inside")) {
        shown(one, to - at >= 7 * one.textContent.length + 4);
        one.setAttribute("x", String(at + 4));
      } else if (name.contains("beside")) {
        const wide = DIGIT * one.textContent.length + 4, behind = Math.max(to, at + LEAST);
        const isBefore = behind + wide > right, isOver = isBefore && at - wide < left;
        one.setAttribute("x", String(isOver ? at + 4 : isBefore ? at - 3 : behind + 3));
        one.setAttribute("text-anchor", isBefore && !isOver ? "end" : "start");
        name.toggle("over", isOver);
      } else {
        const wide = Math.max(to - at, name.contains("election") ? 2.5 : LEAST);
        one.setAttribute("x", String(Math.min(at, right - wide)));
        one.setAttribute("width", String(wide));
      }
    }
    function ticks() {
      for (const one of own) one.remove();
      own = [];
      const isWhole = view === whole, seconds = (view[1] - view[0]) / 1000;
      for (const one of grid) shown(one, isWhole);
      if (isWhole) return;
      const step = (ROUND.find((one) => seconds / one <= TICKS) || DAY * (Math.floor(seconds / DAY / TICKS) + 1)) * 1000;
      for (let ms = Math.ceil(view[0] / step) * step; ms <= view[1]; ms += step) {
        const x = place(ms, view), said = new Date(ms).toISOString();
        const text = seconds > DAY ? said.slice(5, step >= DAY * 1000 ? 10 : 16).replace("T", " ") : said.slice(11, step >= 60000 ? 16 : step >= 1000 ? 19 : 23);
        const line = made("path", { class: "grid", d: `M${x} 30V${height - 8}` }, drawing);
        drawing.prepend(line);
        const label = made("text", { class: "tick", x, y: 20, "text-anchor": x > right - 30 ? "end" : "middle" }, drawing);
        label.textContent = text;
        own.push(line, label);
      }
    }
    return {
      whole,
      /** Draws these times, as far as there is something of them; null: all. */
      show(times) {
        const inside = times && [Math.max(times[0], from), Math.min(times[1], until)];
        view = inside && inside[0] <= inside[1] ? inside : whole;
        if (view !== whole && view[1] - view[0] < SHORTEST) view = [view[0] - SHORTEST, view[1] + SHORTEST];
        for (const one of marks) put(one);
        const scale = (until - from) / (view[1] - view[0]);
        const moved = `matrix(${scale} 0 0 1 ${left - scale * (left + ((right - left) * (view[0] - from)) / (until - from))} 0)`;
        for (const one of plots) one.setAttribute("transform", view === whole ? "" : moved);
        ticks();
        return !times || view !== whole;
      },
      /** The time at a place of the drawing. */
      at: (x) => view[0] + ((view[1] - view[0]) * (Math.min(Math.max(x, left), right) - left)) / (right - left),
      made: (name, given) => made(name, given, drawing),
      /** Names of lanes over all else, to be moved with what is seen of a drawing that is wider than its place. */
      names() {
        const group = made("g", { class: "names" }, drawing);
        made("rect", { class: "behind", x: -8, y: 0, width: left + 6, height }, group);
        for (const one of drawing.querySelectorAll(".label, .group")) {
          const again = one.cloneNode(true);
          again.setAttribute("y", String(Number(one.getAttribute("y")) + one.parentElement.transform.baseVal[0].matrix.f));
          again.setAttribute("x", "4");
          group.append(again);
        }
        return group;
      },
      left,
      right,
      height,
    };
  };
})();

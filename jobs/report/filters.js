// The fields above the findings of a cluster: by severity, rule, node, topic, text and time. They are made here, so that none stands where no script runs.
const filtered = (() => {
  const made = (name, text, parent) => {
    const one = document.createElement(name);
    one.textContent = text;
    parent.append(one);
    return one;
  };
  const field = (name, label, parent) => {
    const around = made("label", `${label} `, parent);
    return made(name, "", around);
  };
  const words = (one, key) => (one.dataset[key] || "").split(" ").filter(Boolean);
  const severity = (one) => ["critical", "warning", "info", "known"].find((name) => one.classList.contains(name));
  const ordered = (found) => [...new Set(found)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

  function choice(label, options, parent) {
    const one = field("select", label, parent);
    made("option", "any", one).value = "";
    for (const name of options) made("option", name, one).value = name;
    if (options.length < 2) one.parentElement.hidden = true;
    return one;
  }

  /** A time as people write it, UTC: ISO, a day and a clock, or a clock of the last day; NaN: it is none. */
  function moment(text, last) {
    const full = text.replace(/^(\d:)/, "0$1").replace(" ", "T");
    const said = /^\d\d:\d\d/.test(full) ? `${new Date(last).toISOString().slice(0, 10)}T${full}` : full;
    return Date.parse(/T/.test(said) && !/(Z|[+-]\d\d:?\d\d)$/.test(said) ? `${said}Z` : said);
  }

  /** As moment() takes it, as short as can be. */
  function written(ms, last) {
    const [day, clock] = new Date(ms).toISOString().replace(/(\.000)?Z$/, "").split("T");
    return day === new Date(last).toISOString().slice(0, 10) ? clock : `${day} ${clock}`;
  }

  /** part: holds the findings; times: the first and the last of the data; asked: is told [from, until] or null; changed: is told that a field did. */
  return (part, own, times, asked, changed) => {
    const bar = document.createElement("form");
    bar.className = "tools filters";
    const present = ["critical", "warning", "info", "known"].filter((name) => own.some((one) => severity(one) === name));
    const level = choice("severity", present, bar);
    const rule = choice("rule", ordered(own.map((one) => one.dataset.rule)), bar);
    const named = (key) => ordered(own.flatMap((one) => words(one, key)).filter((one) => one !== "*"));
    const node = choice("broker", named("nodes"), bar);
    const topic = choice("topic", named("topics"), bar);
    const text = field("input", "text", bar);
    text.type = "search";
    const [since, until] = ["from", "to"].map((label) => {
      const one = field("input", label, bar);
      one.className = "moment";
      one.title = "UTC: a clock of the last day, or a day and a clock as 2026-01-31 08:59";
      one.placeholder = "08:59:30";
      return one;
    });
    const all = made("button", "all", bar);
    const fold = made("button", "unfold all", bar);
    all.type = fold.type = "button";
    const count = made("span", "", bar);
    count.className = "count";
    count.setAttribute("role", "status");
    part.querySelector("h2").after(bar);

    const readTimes = () => {
      const given = [since, until].map((one) => one.value.trim());
      const found = given.map((one, place) => (one ? moment(one, times[1]) : times[place]));
      [since, until].forEach((one, place) => one.setAttribute("aria-invalid", String(Number.isNaN(found[place]))));
      if (found.every(Number.isFinite)) asked(given.some(Boolean) ? found.sort((a, b) => a - b) : null);
    };
    for (const one of [level, rule, node, topic]) one.addEventListener("change", changed);
    text.addEventListener("input", changed);
    for (const one of [since, until]) one.addEventListener("change", readTimes);
    bar.addEventListener("submit", (event) => {
      event.preventDefault();
      readTimes();
    });
    all.addEventListener("click", () => {
      bar.reset();
      asked(null);
    });
    fold.addEventListener("click", () => {
      const isOpening = fold.textContent.startsWith("unfold");
      for (const one of part.closest(".cluster").querySelectorAll("details")) one.open = isOpening;
      fold.textContent = isOpening ? "fold all" : "unfold all";
    });
    const has = (one, key, wanted) => !wanted || words(one, key).some((name) => name === wanted || name === "*");
    const searched = () => text.value.trim().toLowerCase();
    return {
      reset: () => bar.reset(),
      isActive: () => Boolean(level.value || rule.value || node.value || topic.value || searched()),
      matches: (one) =>
        (!level.value || severity(one) === level.value) &&
        (!rule.value || one.dataset.rule === rule.value) &&
        has(one, "nodes", node.value) &&
        has(one, "topics", topic.value) &&
        (!searched() || one.textContent.toLowerCase().includes(searched())),
      say: (shown) => (count.textContent = shown === own.length ? "" : `${shown} of ${own.length} findings`),
      showTimes: (range) => {
        [since.value, until.value] = range ? range.map((ms) => written(ms, times[1])) : ["", ""];
        for (const one of [since, until]) one.removeAttribute("aria-invalid");
      },
    };
  };
})();

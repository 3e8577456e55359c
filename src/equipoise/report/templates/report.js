"use strict";
(() => {
  /* Charts: drawn when they come near the screen, at the width that they find. */
  const LEGEND_EDGE = 70, LEGEND_FRAME = 44, SECOND_LEGEND = 250, NARROW = 560;
  const options = {
    mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };

  function fitted(spec, width) {
    const config = structuredClone(spec.config || {});
    const room = Math.max(width - LEGEND_EDGE, LEGEND_FRAME * 2);
    const entry = spec.usermeta?.legendEntry ?? width;
    const columns = Math.max(1, Math.floor(room / entry));
    const beside = Math.min(columns, spec.usermeta?.legendEntries ?? 1) * entry;
    config.legend = { ...config.legend, columns, labelLimit: Math.floor(room / columns) - LEGEND_FRAME + 12 };
    if (width < NARROW || LEGEND_EDGE + beside + SECOND_LEGEND > width) config.legend.layout = { bottom: { direction: "vertical", anchor: "start" } };
    config.axisY = { ...config.axisY, labelLimit: Math.floor(width * 0.4) };
    const { $schema, ...body } = spec; /* the version that is here draws it */
    return { ...body, config };
  }

  async function draw(box) {
    const width = Math.floor(box.getBoundingClientRect().width);
    const name = box.dataset.chart;
    const step = String(Math.round(width / 60)); /* redrawn when the width has really changed */
    if (!width || box.dataset.step === step) return;
    box.dataset.step = step;
    const spec = JSON.parse(document.getElementById("spec-" + name).textContent);
    const stage = document.createElement("div");
    stage.className = "stage";
    const before = box.view;
    const picture = [...box.childNodes];
    box.append(stage);
    try {
      const result = await window.vegaEmbed(stage, fitted(spec, width), options);
      picture.forEach((node) => node.remove());
      box.view = result.view;
      box.dataset.drawn = "yes";
      if (before) before.finalize();
    } catch (error) {
      stage.remove();
      console.error(name, error);
    }
  }

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
  }, { rootMargin: "600px" });

  function boxes(root) {
    return window.vegaEmbed ? [...root.querySelectorAll("[data-chart]")] : [];
  }

  let waiting;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => boxes(document).filter((box) => box.dataset.drawn).forEach(draw), 200);
  });

  /* Tables: a click on a heading sorts, a second click turns the order round. */
  function value(row, place) {
    const cell = row.cells[place];
    const text = cell.dataset.v ?? cell.textContent.trim();
    const number = Number(text.replace(/,/g, ""));
    return text === "" || text === "–" ? null : Number.isNaN(number) ? text : number;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  }

  function sort(table, heading, place) {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row, place), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return down ? compare(b, a) : compare(a, b);
    });
    body.append(...rows.map(([, row]) => row));
  }

  function sortable(table) {
    [...table.tHead.rows[0].cells].forEach((heading, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading, place));
    });
  }

  /* Everything in a part of the page comes alive; also used for parts that come later. */
  function enhance(root) {
    boxes(root).forEach((box) => near.observe(box));
    root.querySelectorAll("table.sortable").forEach(sortable);
  }

  window.equipoise = { enhance };
  enhance(document);
})();

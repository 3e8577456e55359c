"use strict";
/* The dashboard: theme, forms, tables that filter, sliders that rank, the brush of a chart. */
(() => {
  const root = document.documentElement;
  const said = document.getElementById("said");
  const say = (text) => { if (said) said.textContent = text; };

  /* State of the view in the address, so that a link and the back button keep it. */
  function remember(changes) {
    const address = new URL(location.href);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") address.searchParams.delete(name);
      else address.searchParams.set(name, value);
    }
    try { history.replaceState(history.state, "", address); } catch { /* a page opened as a file */ }
  }
  const state = () => new URL(location.href).searchParams;

  document.querySelector("nav.pages [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

  /* Theme: system, light, dark. */
  const themes = ["system", "light", "dark"];
  const themeSwitch = document.querySelector("[data-theme-switch]");
  function showTheme(theme) {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    themeSwitch.querySelector("span").textContent = theme;
    themeSwitch.setAttribute("aria-label", `Theme: ${theme}. Change it.`);
  }
  if (themeSwitch) {
    themeSwitch.hidden = false;
    showTheme(root.dataset.theme ?? "system");
    themeSwitch.addEventListener("click", () => {
      const next = themes[(themes.indexOf(root.dataset.theme ?? "system") + 1) % themes.length];
      showTheme(next);
      try { localStorage.setItem("equipoise-theme", next); } catch { /* for this page only */ }
    });
  }

  /* Forms: addresses without empty fields; measurements one a line. */
  function measurements(text) {
    const lines = text.split(/[\n;]+|,(?=\s*\d+\s*=)/).map((line) => line.trim()).filter(Boolean);
    return lines.map((line) => line.replace(/^(\d+)\s*[=,:\t ]\s*/, "$1=")).join(",");
  }
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form.ask")) return;
    event.preventDefault();
    const query = new URLSearchParams();
    for (const control of form.elements) {
      if (!control.name || control.disabled || !control.value.trim()) continue;
      if (control.type === "checkbox" && !control.checked) continue;
      if (control.tagName === "SELECT" && control.name !== "benchmark") {
        if ([...control.options].findIndex((option) => option.defaultSelected) < 0) continue;
      }
      query.append(control.name, "measured" in control.dataset ? measurements(control.value) : control.value.trim());
    }
    const text = query.toString();
    location.assign(form.getAttribute("action") + (text ? `?${text}` : ""));
  });
  document.querySelectorAll("form.ask select[name=benchmark]").forEach((select) => {
    select.addEventListener("change", () => {
      location.assign(`${select.form.getAttribute("action")}?benchmark=${encodeURIComponent(select.value)}`);
    });
  });
  document.querySelectorAll("[data-narrow]").forEach((input) => {
    input.hidden = false;
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const label of input.closest("fieldset").querySelectorAll(".boxes label")) {
        label.hidden = !label.textContent.toLowerCase().includes(wanted);
      }
    });
  });

  /* Overview: tiles that fit what is typed. */
  const tiles = document.querySelector("[data-tiles]");
  if (tiles) {
    tiles.addEventListener("input", () => {
      const words = tiles.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      for (const tile of document.querySelectorAll("[data-tile]")) {
        const text = tile.textContent.toLowerCase() + tile.dataset.tile.toLowerCase();
        tile.hidden = !words.every((word) => text.includes(word));
        left += !tile.hidden;
      }
      remember({ q: tiles.value.trim() });
      say(`${left} benchmarks`);
    });
  }

  /* Tables: rows that have the text and lie in the brushed rectangle. */
  const brushed = new Map();
  function column(table, pattern) {
    return [...table.tHead.rows[0].cells].findIndex((cell) => pattern.test(cell.textContent));
  }
  const number = (cell) => Number((cell.dataset.v ?? cell.textContent).replace(/[,\s\u2007\u2008]/g, ""));
  function filter(box) {
    const table = box.querySelector("table");
    const words = (box.querySelector("[data-find]")?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const range = brushed.get(box.id);
    const x = column(table, /^accelerators$/), y = column(table, /^time to train/);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      let fits = words.every((word) => text.includes(word));
      if (fits && range && x >= 0 && y >= 0) {
        const n = number(row.cells[x]), t = number(row.cells[y]);
        fits = n >= range.n[0] && n <= range.n[1] && t >= range.t[0] && t <= range.t[1];
      }
      row.hidden = !fits;
      shown += fits;
    }
    const count = box.querySelector("[data-count]");
    const total = table.tBodies[0].rows.length;
    if (count) count.textContent = shown === total ? `${total.toLocaleString("en")} rows` : `${shown.toLocaleString("en")} of ${total.toLocaleString("en")} rows`;
  }
  function findable(part) {
    part.querySelectorAll("[data-find]").forEach((input) => {
      const box = input.closest("[data-table]");
      input.closest("label").hidden = false;
      let waiting;
      input.addEventListener("input", () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
          filter(box);
          remember({ find: input.value.trim() ? `${box.dataset.table}:${input.value.trim()}` : null });
        }, 120);
      });
    });
  }
  document.addEventListener("click", (event) => {
    const heading = event.target.closest?.("table.sortable th");
    const box = heading?.closest("[data-table]");
    if (!box || !event.target.closest("button")) return;
    const down = heading.getAttribute("aria-sort") === "descending";
    const name = heading.textContent.trim();
    remember({ sort: `${box.dataset.table}:${name}${down ? ":desc" : ""}` });
    say(`sorted by ${name}, ${down ? "descending" : "ascending"}`);
  });
  function restore() {
    const [name, text] = (state().get("find") ?? "").split(/:(.*)/s);
    const found = text && document.querySelector(`[data-table="${CSS.escape(name)}"] [data-find]`);
    if (found) { found.value = text; filter(found.closest("[data-table]")); }
    const [table, heading, order] = (state().get("sort") ?? "").split(":");
    const box = heading && document.querySelector(`[data-table="${CSS.escape(table)}"]`);
    const cell = box && [...box.querySelectorAll("th")].find((th) => th.textContent.trim() === heading);
    const button = cell?.querySelector("button");
    if (button) { button.click(); if (order === "desc") button.click(); }
  }

  /* Charts: what is brushed stays in the table. */
  const drawn = new MutationObserver((changes) => {
    for (const { target } of changes) follow(target);
  });
  function follow(box) {
    const id = box.closest("figure")?.querySelector(".tools a[href^='#']")?.getAttribute("href")?.slice(1);
    const table = id && document.getElementById(id);
    if (!box.view || box.followed === box.view) return;
    box.followed = box.view;
    /* The box around it has the words, the table below the numbers. */
    box.querySelector("svg:not(.placeholder)")?.setAttribute("aria-hidden", "true");
    if (!table) return;
    try {
      box.view.addSignalListener("brush", (_, value) => {
        if (value?.n?.length && value?.t?.length) {
          const sorted = (pair) => [...pair].sort((a, b) => a - b);
          brushed.set(table.id, { n: sorted(value.n), t: sorted(value.t) });
        } else brushed.delete(table.id);
        filter(table);
      });
    } catch { /* a chart without a brush */ }
  }

  /* Sliders: the ranking follows at once. */
  const weights = document.querySelector("[data-weights]");
  if (weights) {
    weights.hidden = false;
    const place = document.getElementById("ranking-part");
    const inputs = [...weights.querySelectorAll("[data-weight]")];
    const given = () => inputs.map((input) => `${input.dataset.weight}=${input.value}`).join(",");
    let asked = 0, waiting;
    async function rank(resamples) {
      const mine = ++asked;
      if (inputs.every((input) => Number(input.value) === 0)) return say("Give at least one criterion some weight.");
      place.setAttribute("aria-busy", "true");
      const address = `${weights.dataset.part}&weights=${encodeURIComponent(given())}&resamples=${resamples}`;
      try {
        const answer = await fetch(address);
        const text = await answer.text();
        if (mine !== asked) return;
        if (!answer.ok) throw new Error(JSON.parse(text).detail);
        place.innerHTML = text;
        enhance(place);
        say(place.querySelector(".lead")?.textContent ?? "");
      } catch (error) {
        if (mine === asked) say(String(error.message ?? error));
      } finally {
        if (mine === asked) place.removeAttribute("aria-busy");
      }
    }
    weights.addEventListener("submit", (event) => event.preventDefault());
    weights.addEventListener("input", (event) => {
      event.target.closest(".slider").querySelector("output").textContent = event.target.value;
      clearTimeout(waiting);
      waiting = setTimeout(() => rank(100), 60);
    });
    weights.addEventListener("change", () => {
      clearTimeout(waiting);
      remember({ weights: given() });
      const text = document.querySelector("form.ask [name=weights]");
      if (text) text.value = given();
      rank(1000);
    });
  }

  function enhance(part) {
    window.equipoise.enhance(part);
    prepare(part);
  }
  function prepare(part) {
    findable(part);
    part.querySelectorAll("[data-chart]").forEach((box) => drawn.observe(box, { attributes: true, attributeFilter: ["data-drawn", "data-step"] }));
  }
  prepare(document);
  restore();
})();

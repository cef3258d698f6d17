"use strict";
// Elements of a layer have `data-layer`, passes that touched layers `data-layers`. All text is set by textContent.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const search = document.getElementById("search"), bar = document.getElementById("selection");
let rows = [], selected = null, pointed = null, here = null;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function light(layer) {
  all(".lit").forEach((e) => e.classList.remove("lit"));
  if (layer === null) return;
  all(`[data-layer="${layer}"]`).forEach((e) => e.classList.add("lit"));
  all(".run").forEach((e) => { if (layersOf(e).has(layer)) e.classList.add("lit"); });
}

function layersOf(run) {
  if (!run.layers) {
    run.layers = new Set((run.dataset.layers || "").split(" ").filter(Boolean));
    for (const row of rows[run.dataset.run] || []) {
      if (row.length > 1 && row[0]) for (const n of [row[3], row[6]]) if (n !== null) run.layers.add(String(n));
    }
  }
  return run.layers;
}

const nameOf = (layer) => document.querySelector(`#layers [data-layer="${layer}"] .name`)?.textContent ?? "";

function places(section = null) {
  const inside = section ? `#${section} ` : "main ";
  return all(`${inside}.lit`).filter((e) => !e.closest(".filtered") && !(e.closest("details:not([open])") && !e.matches(".run")));
}

function select(layer) {
  selected = layer;
  here = null;
  light(layer);
  bar.replaceChildren();
  bar.hidden = layer === null;
  if (layer === null) return;
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = nameOf(layer);
  bar.append(name);
  for (const [id, title] of [["loops", "loops"], ["passes", "passes"], ["memory", "memory"], ["cost", "cost"], ["code", "C"]]) {
    const found = id === "passes" ? all("#passes .run.lit") : places(id);
    if (!found.length) continue;
    const button = document.createElement("button");
    button.textContent = `${title} ${found.length}`;
    button.dataset.section = id;
    button.onclick = () => go(places(id), 1);
    bar.append(button);
  }
  const close = document.createElement("button");
  close.textContent = "✕";
  close.title = "Clear (Esc)";
  close.onclick = () => select(null);
  bar.append(close);
  document.querySelector(`#layers [data-layer="${layer}"]`)?.scrollIntoView({ block: "nearest" });
}

function go(found, step) {
  if (!found.length) return;
  const next = found[(found.indexOf(here) + step + found.length) % found.length];
  all(".here").forEach((e) => e.classList.remove("here"));
  here = next;
  here.classList.add("here");
  here.scrollIntoView({ block: "center" });
}

// The lengths of the common beginning and end of two lines; nothing is marked in lines that have little in common.
function common(a, b) {
  let start = 0, end = 0;
  while (start < a.length && a[start] === b[start]) start++;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return 2 * (start + end) >= Math.min(a.length, b.length) ? [start, end] : [a.length + b.length, 0];
}

function cell(row, kind, text, layer, number, [start, end]) {
  const line = row.insertCell(), td = row.insertCell();
  line.className = "line";
  line.textContent = number || "";
  if (kind) td.className = number ? kind : "";
  if (layer !== null) td.dataset.layer = layer;
  if (start >= text.length) return td.append(text);
  const mark = document.createElement("mark");
  mark.textContent = text.slice(start, text.length - end);
  td.append(text.slice(0, start), mark, text.slice(text.length - end));
}

function show(run) {
  const place = run.querySelector(".diff");
  if (place.firstChild || !(rows[run.dataset.run] || []).length) return;
  const table = document.createElement("table"), columns = document.createElement("colgroup");
  for (const kind of ["line", "text", "line", "text"]) columns.append(Object.assign(document.createElement("col"), { className: kind }));
  table.append(columns);
  for (const each of rows[run.dataset.run]) {
    const row = table.insertRow();
    if (each.length === 1) {
      const td = row.insertCell();
      td.colSpan = 4;
      td.className = "skip";
      td.textContent = each[0] === 1 ? "one equal line" : `${each[0].toLocaleString("en")} equal lines`;
      continue;
    }
    const [changed, n, a, la, m, b, lb] = each;
    const kinds = changed ? ["removed", "added"] : ["", ""];
    const same = changed && n && m ? common(a, b) : [a.length + b.length, 0];
    cell(row, kinds[0], a, la, n, same);
    cell(row, kinds[1], b, lb, m, same);
  }
  place.append(table);
  light(selected ?? pointed);
}

function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const e of all("#layers li, .costs tbody tr, .run, .quiet")) {
    const said = e.textContent.toLowerCase();
    e.classList.toggle("filtered", !words.every((word) => said.includes(word)));
  }
  const found = all("#layers li:not(.filtered)").length;
  document.getElementById("count").textContent = words.length ? `${found} of ${all("#layers li").length}` : all("#layers li").length;
}

const layerAt = (e) => e.target.closest?.("[data-layer]")?.dataset.layer ?? null;
document.addEventListener("pointerover", (e) => {
  pointed = layerAt(e);
  if (selected === null) light(pointed);
});
document.addEventListener("click", (e) => {
  const link = e.target.closest("a[href^='#run']");
  if (link) {
    const run = document.querySelector(link.getAttribute("href"));
    (run.closest("details") ?? run).open = true;
    return;
  }
  if (e.target.closest("button, a, input, dialog") || String(getSelection())) return;
  const layer = layerAt(e);
  if (layer !== null) select(layer === selected ? null : layer);
});
all(".run").forEach((run) => run.addEventListener("toggle", () => { if (run.open) show(run); }));
search.addEventListener("input", () => filter(search.value));

function theme() {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.style.colorScheme || (dark ? "dark" : "light");
  root.style.colorScheme = now === "dark" ? "light" : "dark";
}
document.getElementById("theme").onclick = theme;
document.getElementById("help").onclick = () => document.getElementById("keys").showModal();

function step(by) {
  const list = all("#layers li:not(.filtered)");
  const at = list.findIndex((e) => e.dataset.layer === selected);
  if (list.length) select(list[(at + by + (at < 0 && by < 0 ? 1 : 0) + list.length) % list.length].dataset.layer);
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "Escape") {
    search.value = "";
    filter("");
    search.blur();
    select(null);
    return;
  }
  if (e.target === search) {
    if (e.key === "Enter") {
      const first = document.querySelector("#layers li:not(.filtered)");
      if (first) select(first.dataset.layer);
      search.blur();
    }
    return;
  }
  if (e.key === "Enter" && e.target.matches("#layers li")) return select(e.target.dataset.layer);
  const keys = {
    "/": () => search.focus(), "?": () => document.getElementById("keys").showModal(), t: theme,
    j: () => step(1), k: () => step(-1), n: () => go(places(), 1), p: () => go(places(), -1),
    e: () => { const runs = all(".run.lit"), open = runs.some((r) => !r.open); runs.forEach((r) => { r.open = open; if (open) show(r); }); },
  };
  const link = /^[1-6]$/.test(e.key) ? all("nav a")[e.key - 1] : null;
  const act = link ? () => link.click() : keys[e.key];
  if (act) { e.preventDefault(); act(); }
});

unpacked(document.getElementById("rows").textContent).then((found) => {
  rows = found;
  all(".run").forEach((run) => { run.layers = null; if (run.open) show(run); });
  document.body.dataset.ready = "yes";
});

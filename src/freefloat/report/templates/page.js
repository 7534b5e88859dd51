// What all parts of the page share: packed data, colours, and the choice between light and dark.

const kinds = { f4: Float32Array, u2: Uint16Array };

function dataOf(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function unpacked(array) {
  const bytes = Uint8Array.from(atob(array.bdata), (sign) => sign.charCodeAt(0));
  return new kinds[array.dtype](bytes.buffer);
}

// Colours are names of properties of the style sheet, which knows what they are in light and in dark.
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const theme = (() => {
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  const watchers = [];
  let chosen = null;

  function show(name) {
    document.documentElement.dataset.theme = name;
    button.textContent = name === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show the page in ${name === "dark" ? "light" : "dark"} colours`);
    for (const watcher of watchers) watcher();
  }
  const current = () => chosen || (preferred.matches ? "dark" : "light");

  button.addEventListener("click", () => {
    chosen = current() === "dark" ? "light" : "dark";
    show(chosen);
  });
  preferred.addEventListener("change", () => show(current()));
  show(current());
  return { show, current, watch: (watcher) => watchers.push(watcher) };
})();

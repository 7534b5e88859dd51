(function () {
  "use strict";
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const figures = read("figures");
  const scene = read("scene");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const kinds = { f4: Float32Array, i4: Int32Array, u1: Uint8Array };

  function unpacked(array) {
    const text = atob(array.bdata);
    const bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
    return new kinds[array.dtype](bytes.buffer);
  }

  // Colours are names of properties of the style sheet, which knows what they are in light and in dark.
  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function themed(value) {
    if (typeof value === "string") return value.startsWith("--") ? colour(value) : value;
    if (Array.isArray(value)) return value.map(themed);
    if (value && typeof value === "object" && !ArrayBuffer.isView(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, themed(each)]));
    }
    return value;
  }

  const font = () => ({ family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("--ink") });
  const clear = "rgba(0,0,0,0)";
  const config = { displaylogo: false, displayModeBar: false, responsive: true };

  function drawFigure(name) {
    const figure = themed(figures[name]);
    const lines = { gridcolor: colour("--grid"), zerolinecolor: colour("--rule"), linecolor: colour("--rule") };
    const layout = {
      paper_bgcolor: clear,
      plot_bgcolor: clear,
      font: font(),
      showlegend: figure.data.length > 1,
      legend: { orientation: "h", x: 0, y: 1.01, yanchor: "bottom", font: { size: 12 } },
      hoverlabel: { font: { size: 12 } },
      ...figure.layout,
    };
    layout.margin = { l: 62, r: 10, t: 34, b: 44, ...(figure.layout.margin || {}) };
    for (const axis of ["xaxis", "yaxis"]) layout[axis] = { automargin: false, ...lines, ...(layout[axis] || {}) };
    Plotly.react(document.getElementById(name), figure.data, layout, config);
  }

  // ------------------------------------------------------------------ the robot

  const stage = document.getElementById("robot");
  const slider = document.getElementById("time");
  const button = document.getElementById("play");
  const shown = document.getElementById("now");
  const t = unpacked(scene.t);
  const turned = unpacked(scene.turned_deg);
  const poses = unpacked(scene.poses);
  const parts = scene.parts.map((part) => ({
    ...part,
    points: unpacked(part.points),
    body: unpacked(part.body),
    triangles: unpacked(part.triangles),
  }));
  const visible = { bodies: true, inertia: true, centres: true };
  let frame = 0;

  function placed(part, at) {
    const count = part.body.length;
    const [x, y, z] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
    for (let k = 0; k < count; k++) {
      const o = 12 * (at * scene.bodies + part.body[k]);
      const [a, b, c] = [part.points[3 * k], part.points[3 * k + 1], part.points[3 * k + 2]];
      x[k] = poses[o] * a + poses[o + 1] * b + poses[o + 2] * c + poses[o + 9];
      y[k] = poses[o + 3] * a + poses[o + 4] * b + poses[o + 5] * c + poses[o + 10];
      z[k] = poses[o + 6] * a + poses[o + 7] * b + poses[o + 8] * c + poses[o + 11];
    }
    return { x, y, z };
  }
  const every = (values, step, from) => Array.from(values.filter((_, k) => k % step === from));

  const opacity = { bodies: 0.38, inertia: 0.22, centres: 1.0 };
  const names = { bodies: "", inertia: "inertia ellipsoids", centres: "centres of mass" };
  function mesh(part) {
    return {
      type: "mesh3d",
      ...placed(part, frame),
      i: every(part.triangles, 3, 0),
      j: every(part.triangles, 3, 1),
      k: every(part.triangles, 3, 2),
      color: colour(part.colour),
      opacity: opacity[part.group],
      visible: visible[part.group],
      hoverinfo: "text",
      text: names[part.group] || part.name,
      flatshading: false,
      lighting: { ambient: 0.62, diffuse: 0.7, specular: 0.12, roughness: 0.8, fresnel: 0.05 },
      lightposition: { x: 2000, y: -3000, z: 4000 },
    };
  }
  function drawRobot() {
    const path = unpacked(scene.path);
    const trace = {
      type: "scatter3d",
      mode: "lines",
      x: every(path, 3, 0),
      y: every(path, 3, 1),
      z: every(path, 3, 2),
      line: { color: colour("--accent"), width: 2 },
      opacity: 0.55,
      hoverinfo: "skip",
    };
    const [low, high] = scene.range;
    const sizes = low.map((each, k) => high[k] - each + 0.1);
    const ratio = (k) => (1.4 * sizes[k]) / Math.max(...sizes);
    const axis = (k) => ({
      title: { text: "xyz"[k] + " [m]" },
      range: [low[k] - 0.05, high[k] + 0.05],
      gridcolor: colour("--rule"),
      zeroline: false,
      showbackground: false,
      showspikes: false,
      tickfont: { size: 10, color: colour("--muted") },
      nticks: 5,
    });
    const layout = {
      paper_bgcolor: clear,
      font: { ...font(), color: colour("--muted") },
      margin: { l: 0, r: 0, t: 0, b: 0 },
      height: Math.min(560, Math.max(380, 0.62 * stage.clientWidth)),
      showlegend: false,
      uirevision: "kept",
      scene: {
        xaxis: axis(0),
        yaxis: axis(1),
        zaxis: axis(2),
        aspectmode: "manual",
        aspectratio: { x: ratio(0), y: ratio(1), z: ratio(2) },
        dragmode: "orbit",
        camera: { eye: { x: 1.35, y: -1.5, z: 0.55 }, center: { x: 0, y: 0, z: -0.06 } },
      },
    };
    Plotly.react(stage, [...parts.map(mesh), trace], layout, config);
  }
  function go(at) {
    frame = Math.max(0, Math.min(scene.frames - 1, Math.round(at)));
    slider.value = frame;
    shown.textContent = t[frame].toFixed(1) + " s" + (scene.fixed ? "" : " · base turned by " + turned[frame].toFixed(1) + "°");
    const found = parts.map((part) => placed(part, frame));
    const of = (name) => found.map((each) => each[name]);
    return Plotly.restyle(stage, { x: of("x"), y: of("y"), z: of("z") }, parts.map((_, k) => k));
  }

  let playing = false;
  function play() {
    playing = !playing;
    button.textContent = playing ? "Pause" : "Play";
    if (!playing) return;
    const length = Math.max(8, Math.min(20, t[t.length - 1] / 4)); // of the film [s]
    let start = performance.now() - ((frame % (scene.frames - 1)) / (scene.frames - 1)) * 1000 * length;
    let busy = false;
    function tick(now) {
      if (!playing) return;
      const share = (now - start) / (1000 * length);
      if (share >= 1) start = now;
      if (!busy) {
        busy = true;
        Promise.resolve(go((share % 1) * (scene.frames - 1))).then(() => { busy = false; });
      }
      requestAnimationFrame(tick);
    }
    requestAnimationFrame(tick);
  }
  slider.max = scene.frames - 1;
  slider.addEventListener("input", () => go(Number(slider.value)));
  button.addEventListener("click", play);
  for (const box of document.querySelectorAll("[data-group]")) {
    box.addEventListener("change", () => {
      const group = box.dataset.group;
      visible[group] = box.checked;
      const places = parts.map((part, k) => (part.group === group ? k : -1)).filter((k) => k >= 0);
      if (places.length) Plotly.restyle(stage, { visible: box.checked }, places);
    });
  }

  function drawAll() {
    drawRobot();
    Object.keys(figures).forEach(drawFigure);
  }
  drawAll();
  go(0);
  // Plotly itself notices a window that changes, not a column that does.
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.data && Math.abs(target.clientWidth - target._fullLayout.width) > 1) Plotly.Plots.resize(target);
    }
  });
  for (const plot of [stage, ...document.querySelectorAll(".plot")]) watcher.observe(plot);
  dark.addEventListener("change", drawAll);
})();

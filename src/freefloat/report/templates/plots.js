// Figures by plotly, in the page's colours.

(function plots() {
  const figures = dataOf("figures");
  const clear = "rgba(0,0,0,0)";
  const config = { displaylogo: false, displayModeBar: false, responsive: true };

  // Every name of a colour as what it stands for; a joint may be called like one.
  function themed(value, key = "") {
    if (typeof value === "string") return key.endsWith("color") && value.startsWith("--") ? colour(value) : value;
    if (Array.isArray(value)) return value.map((each) => themed(each, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, themed(each, name)]));
    }
    return value;
  }

  function draw(name) {
    const place = document.getElementById(name);
    const figure = themed(figures[name]);
    const font = { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("--ink") };
    const axis = {
      automargin: false,
      gridcolor: colour("--grid"),
      zerolinecolor: colour("--rule"),
      linecolor: colour("--rule"),
      tickfont: { size: 12, color: colour("--muted") },
    };
    const layout = {
      paper_bgcolor: clear,
      plot_bgcolor: clear,
      font,
      showlegend: figure.data.filter((trace) => trace.showlegend !== false).length > 1,
      legend: { orientation: "h", x: 0, y: 1.01, yanchor: "bottom", font: { size: 12 } },
      hoverlabel: { font: { size: 12 } },
      ...figure.layout,
      margin: { l: 58, r: 12, t: 34, b: 44, ...(figure.layout.margin || {}) },
    };
    for (const each of ["xaxis", "yaxis"]) layout[each] = { ...axis, ...(layout[each] || {}) };
    Plotly.react(place, figure.data, layout, config);
  }
  const drawAll = () => Object.keys(figures).forEach(draw);

  drawAll();
  theme.watch(drawAll);

  // Plotly itself notices a window that changes, not a column that does.
  const fit = (plot) => {
    const wide = plot.clientWidth;
    if (wide && plot.data && Math.abs(wide - plot._fullLayout.width) > 1) Plotly.relayout(plot, { width: wide });
  };
  const watcher = new ResizeObserver((entries) => entries.forEach((entry) => fit(entry.target)));
  for (const plot of document.querySelectorAll(".plot")) watcher.observe(plot);

  // On paper everything is light, unfolded, and as wide as the sheet; sums stand in a list of their own.
  const folded = [...document.querySelectorAll("details:not(.formula)")];
  let were = [];
  addEventListener("beforeprint", () => {
    were = folded.filter((each) => !each.open);
    were.forEach((each) => { each.open = true; });
    document.documentElement.classList.add("on-paper");
    theme.show("light");
    document.querySelectorAll(".plot").forEach(fit);
  });
  addEventListener("afterprint", () => {
    were.forEach((each) => { each.open = false; });
    document.documentElement.classList.remove("on-paper");
    theme.show(theme.current());
    document.querySelectorAll(".plot").forEach(fit);
  });
})();

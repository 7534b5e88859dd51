// The picture of the robot as a film: slider, play and pause, speed, and ways to look around.

function film() {
  const scene = dataOf("scene");
  const stage = document.getElementById("stage");
  const canvas = document.getElementById("robot");
  const slider = document.getElementById("time");
  const button = document.getElementById("play");
  const speed = document.getElementById("speed");
  const shown = document.getElementById("now");
  const labels = stage.querySelectorAll(".axis");
  const t = unpacked(scene.t);
  const turned = unpacked(scene.turned_deg);
  const last = scene.frames - 1;
  const picture = robotPicture(canvas, scene);
  if (!picture) {
    stage.classList.add("blank"); // says that there is no WebGL
    return;
  }
  stage.querySelector(".grid-size").textContent = `grid ${Number(picture.spacing.toPrecision(1))} m`;
  let frame = scene.start;
  let playing = false;
  let rounds = 0; // how often it was played: a loop of an earlier time ends
  let asked = false;

  function draw() {
    asked = false;
    picture.go(frame);
    picture.draw().forEach(([x, y], k) => {
      labels[k].style.left = `${100 * x}%`;
      labels[k].style.top = `${100 * y}%`;
    });
  }
  function redraw() {
    if (!asked) requestAnimationFrame(draw);
    asked = true;
  }
  function go(place) {
    frame = Math.max(0, Math.min(last, place));
    const near = Math.round(frame);
    const said = `${t[near].toFixed(1)} s` + (scene.fixed ? "" : ` · base turned by ${turned[near].toFixed(1)}°`);
    slider.value = near;
    slider.setAttribute("aria-valuetext", said);
    shown.textContent = said;
    redraw();
  }

  function pause() {
    playing = false;
    button.textContent = "Play";
  }
  // Once around, from here to here.
  function play() {
    playing = true;
    button.textContent = "Pause";
    const round = ++rounds;
    let before = performance.now();
    let left = last;
    const tick = (now) => {
      if (!playing || round !== rounds) return;
      const step = Math.min(left, ((now - before) / 1000) * Number(speed.value) * (last / t[last]));
      before = now;
      left -= step;
      go(frame + step > last ? frame + step - last : frame + step);
      if (left > 0) requestAnimationFrame(tick);
      else pause();
    };
    requestAnimationFrame(tick);
  }

  slider.max = last;
  slider.addEventListener("input", () => {
    pause();
    go(Number(slider.value));
  });
  button.addEventListener("click", () => (playing ? pause() : play()));
  for (const box of stage.querySelectorAll("[data-group]")) {
    const show = () => {
      picture.shown[box.dataset.group] = box.checked;
      redraw();
    };
    box.addEventListener("change", show);
    show();
  }

  // One finger or the mouse turns; two fingers, or the wheel with Ctrl held, come nearer; up and down scrolls the page.
  const fingers = new Map();
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  function turn(by, rise) {
    picture.camera.turn -= by;
    picture.camera.rise = Math.max(-1.5, Math.min(1.5, picture.camera.rise + rise));
    redraw();
  }
  function nearer(times) {
    picture.camera.near = Math.max(0.3, Math.min(8, picture.camera.near * times));
    redraw();
  }
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const before = fingers.size === 2 ? apart() : 0;
    const [x, y] = [event.clientX - finger.x, event.clientY - finger.y];
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) nearer(apart() / before);
    else turn(0.008 * x, 0.008 * y);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    nearer(Math.exp(-0.004 * event.deltaY));
  }, { passive: false });
  canvas.addEventListener("dblclick", () => {
    picture.reset();
    redraw();
  });
  const keys = {
    ArrowLeft: () => turn(-0.1, 0),
    ArrowRight: () => turn(0.1, 0),
    ArrowUp: () => turn(0, 0.1),
    ArrowDown: () => turn(0, -0.1),
    "+": () => nearer(1.15),
    "-": () => nearer(1 / 1.15),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  theme.watch(draw);
  new ResizeObserver(redraw).observe(canvas);
  go(scene.start);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      play();
    }, { threshold: 0.6 });
    seen.observe(canvas);
  }
}

try {
  film();
} catch (fault) {
  document.getElementById("stage").classList.add("blank");
  console.error("the picture is not drawn:", fault);
}

// The robot in WebGL: lit bodies, the base as it was at first, the path of the last body, and lines of constant width.
// Positions are in metres in the inertial frame, z up; matrices are column by column.

const STILL = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const FIELD = Math.tan((15 * Math.PI) / 180); // half the vertical field of view

function robotPicture(canvas, scene) {
  const gl = canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const poses = unpacked(scene.poses);
  const surface = compiled(gl, SURFACE);
  const stroke = compiled(gl, STROKE);
  const parts = scene.parts.map((part) => meshOf(gl, part));
  const box = framed(scene, parts, poses);
  const axes = [0, 1, 2].map((k) => {
    const end = [0, 0, 0];
    end[k] = box.axis[k];
    return { end, lines: linesOf(gl, [[[0, 0, 0], end]]), colour: ["--axis-x", "--axis-y", "--axis-z"][k] };
  });
  const path = unpacked(scene.path);
  const steps = Array.from({ length: scene.frames - 1 }, (_, k) => [at3(path, k), at3(path, k + 1)]);
  const flown = linesOf(gl, steps);
  const grid = gridOf(gl, box);
  const first = { turn: box.turn, rise: scene.rise, near: 1 };
  const camera = { ...first };
  const shown = { inertia: false, centres: false };
  let frame = 0;

  function poseOf(body, place) {
    const first = Math.min(Math.floor(place), scene.frames - 1);
    const next = Math.min(first + 1, scene.frames - 1);
    const share = place - first;
    const [o, n] = [12 * (first * scene.bodies + body), 12 * (next * scene.bodies + body)];
    const m = Array.from({ length: 12 }, (_, k) => (1 - share) * poses[o + k] + share * poses[n + k]);
    return [m[0], m[3], m[6], 0, m[1], m[4], m[7], 0, m[2], m[5], m[8], 0, m[9], m[10], m[11], 1];
  }

  function lookAt() {
    const [st, ct, sr, cr] = [Math.sin(camera.turn), Math.cos(camera.turn), Math.sin(camera.rise), Math.cos(camera.rise)];
    const [right, up, back] = [[-st, ct, 0], [-sr * ct, -sr * st, cr], [cr * ct, cr * st, sr]];
    const aspect = canvas.width / canvas.height;
    const places = box.points.map((point) => [right, up, back].map((row) => dot(minus(point, box.centre), row)));
    const middle = [0, 0];
    let away = 0;
    for (let round = 0; round < 4; round++) { // until the robot is in the middle of the picture
      away = -Infinity;
      for (const [x, y, z] of places) {
        const across = Math.max(Math.abs(x - middle[0]) / aspect, Math.abs(y - middle[1]));
        away = Math.max(away, z + (1.08 * across) / FIELD);
      }
      for (const k of [0, 1]) {
        const ends = [Infinity, -Infinity];
        for (const place of places) {
          const angle = (place[k] - middle[k]) / (away - place[2]);
          ends[0] = Math.min(ends[0], angle);
          ends[1] = Math.max(ends[1], angle);
        }
        middle[k] += 0.5 * away * (ends[0] + ends[1]);
      }
    }
    away /= camera.near;
    const rows = [right, up, back];
    const view = [0, 1, 2].flatMap((k) => [right[k], up[k], back[k], 0]);
    view.push(...rows.map((row, k) => -dot(row, box.centre) - (middle[k] || 0)), 1);
    view[14] -= away;
    const [low, high] = [Math.max(0.02 * away, away - 3 * box.size), away + 3 * box.size];
    const depth = [(high + low) / (low - high), (2 * high * low) / (low - high)];
    const projection = [1 / (FIELD * aspect), 0, 0, 0, 0, 1 / FIELD, 0, 0, 0, 0, depth[0], -1, 0, 0, depth[1], 0];
    return { view, projection };
  }

  function use(program, look) {
    gl.useProgram(program.made);
    gl.uniformMatrix4fv(program.of("view"), false, look.view);
    gl.uniformMatrix4fv(program.of("projection"), false, look.projection);
  }
  function drawMesh(part, place, tint, alpha, edge) {
    gl.uniformMatrix4fv(surface.of("model"), false, poseOf(part.body, place));
    gl.uniform3fv(surface.of("tint"), rgb(tint));
    gl.uniform1f(surface.of("alpha"), alpha);
    gl.uniform1f(surface.of("edge"), edge);
    attribute(gl, surface, "point", part.points, 3);
    attribute(gl, surface, "normal", part.normals, 3);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, part.triangles);
    gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_SHORT, 0);
  }
  function drawLines(lines, model, tint, alpha, width, count = lines.count) {
    gl.uniformMatrix4fv(stroke.of("model"), false, model);
    gl.uniform3fv(stroke.of("tint"), rgb(tint));
    gl.uniform1f(stroke.of("alpha"), alpha);
    gl.uniform1f(stroke.of("width"), width * (canvas.width / canvas.clientWidth || 1));
    gl.uniform2f(stroke.of("pixels"), canvas.width, canvas.height);
    attribute(gl, stroke, "from", lines.from, 3);
    attribute(gl, stroke, "to", lines.to, 3);
    attribute(gl, stroke, "corner", lines.corner, 2);
    gl.drawArrays(gl.TRIANGLES, 0, 6 * count);
  }
  const group = (name) => parts.filter((part) => part.group === name);

  function drawBodies() {
    const glass = shown.inertia; // through which ellipsoids are seen
    if (glass) {
      gl.colorMask(false, false, false, false); // one layer of it, the nearest
      for (const part of group("bodies")) drawMesh(part, frame, colour(part.colour), 1, 0);
      gl.colorMask(true, true, true, true);
    }
    for (const part of group("bodies")) drawMesh(part, frame, colour(part.colour), glass ? 0.22 : 1, glass ? 0.4 : 0);
  }
  function drawGhost() {
    for (const part of group("bodies").filter((each) => each.body === 0)) drawMesh(part, 0, colour("--ghost"), 0.07, 0.75);
  }
  function drawInertia() {
    for (const part of group("inertia")) drawMesh(part, frame, colour(part.colour), 1, 0);
  }
  function drawCentres() {
    gl.depthFunc(gl.GREATER); // through what lies before them
    for (const part of group("centres")) drawMesh(part, frame, colour(part.colour), 0.55, 0.3);
    gl.depthFunc(gl.LEQUAL);
    for (const part of group("centres")) drawMesh(part, frame, colour(part.colour), 1, 0);
  }
  function drawAxes() {
    for (const axis of axes) {
      if (!scene.fixed) drawLines(axis.lines, poseOf(0, 0), colour(axis.colour), 0.3, 1);
      drawLines(axis.lines, poseOf(0, frame), colour(axis.colour), 1, 2.2);
    }
  }

  function draw() {
    const pixels = Math.min(window.devicePixelRatio || 1, 2);
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((each) => Math.max(1, Math.round(pixels * each)));
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const look = lookAt();
    gl.viewport(0, 0, wide, high);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    use(stroke, look);
    drawLines(grid, STILL, colour("--grid-line"), 1, 0.6);
    gl.depthMask(true);
    use(surface, look);
    if (shown.inertia) drawInertia();
    drawBodies();
    gl.depthMask(false);
    if (!scene.fixed) drawGhost();
    use(stroke, look);
    drawLines(flown, STILL, colour("--accent"), 0.3, 1);
    drawLines(flown, STILL, colour("--accent"), 1, 1.6, Math.floor(frame));
    drawAxes();
    use(surface, look);
    if (shown.centres) drawCentres();
    gl.depthMask(true);
    return axes.map((axis) => projected(look, poseOf(0, frame), axis.end));
  }

  return {
    draw,
    camera,
    shown,
    spacing: box.spacing,
    go: (place) => { frame = place; },
    reset: () => Object.assign(camera, first),
  };
}

// Where a point of a body is in the picture, in parts of its width and height from the upper left corner.
function projected(look, model, point) {
  let at = [...point, 1];
  for (const m of [model, look.view, look.projection]) {
    at = [0, 1, 2, 3].map((row) => m[row] * at[0] + m[4 + row] * at[1] + m[8 + row] * at[2] + m[12 + row] * at[3]);
  }
  return [0.5 + (0.5 * at[0]) / at[3], 0.5 - (0.5 * at[1]) / at[3]];
}

// What the picture must hold: points of all bodies over the whole motion, seen across the motion's longer side.
function framed(scene, parts, poses) {
  const bodies = parts.filter((part) => part.group === "bodies");
  const step = Math.max(1, Math.floor(scene.frames / 30));
  const points = [];
  for (let at = 0; at < scene.frames; at += step) {
    for (const part of bodies) {
      const o = 12 * (at * scene.bodies + part.body);
      for (const point of part.outline) {
        points.push([0, 1, 2].map((k) => dot([poses[o + 3 * k], poses[o + 3 * k + 1], poses[o + 3 * k + 2]], point) + poses[o + 9 + k]));
      }
    }
  }
  const of = (bound, k) => points.reduce((found, point) => bound(found, point[k]), points[0][k]);
  const low = [0, 1, 2].map((k) => of(Math.min, k));
  const high = [0, 1, 2].map((k) => of(Math.max, k));
  const centre = low.map((each, k) => 0.5 * (each + high[k]));
  const size = Math.hypot(...minus(high, low));
  const [xx, yy, xy] = points.reduce((sums, point) => {
    const [x, y] = minus(point, centre);
    return [sums[0] + x * x, sums[1] + y * y, sums[2] + x * y];
  }, [0, 0, 0]);
  const across = 0.5 * Math.atan2(2 * xy, xx - yy) - 0.5 * Math.PI;
  const quarter = 0.5 * Math.PI * Math.floor(across / (0.5 * Math.PI));
  const turn = quarter + Math.max(0.55, Math.min(1.0, across - quarter)); // never straight at a side of the base
  const base = bodies.filter((part) => part.body === 0).flatMap((part) => part.outline);
  const axis = [0, 1, 2].map((k) => 0.08 * size + base.reduce((most, point) => Math.max(most, point[k]), 0));
  const decade = 10 ** Math.floor(Math.log10(size / 6));
  const spacing = decade * (size / 6 / decade > 5 ? 5 : size / 6 / decade > 2 ? 2 : 1);
  return { points: MANY_WAYS.map((way) => farthest(points, way)), low, high, centre, size, spacing, axis, turn };
}

// Lines of the plane below everything.
function gridOf(gl, box) {
  const from = [0, 1].map((k) => Math.floor(box.low[k] / box.spacing));
  const to = [0, 1].map((k) => Math.ceil(box.high[k] / box.spacing));
  const z = box.low[2] - 0.02 * box.size;
  const pairs = [];
  for (let x = from[0]; x <= to[0]; x++) pairs.push([[x, from[1]], [x, to[1]]]);
  for (let y = from[1]; y <= to[1]; y++) pairs.push([[from[0], y], [to[0], y]]);
  return linesOf(gl, pairs.map((pair) => pair.map(([x, y]) => [x * box.spacing, y * box.spacing, z])));
}

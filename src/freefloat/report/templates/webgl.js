// Surfaces and lines in WebGL: what they look like, and how they get to the graphics card.

const SURFACE = {
  vertex: `
    attribute vec3 point, normal;
    uniform mat4 model, view, projection;
    varying vec3 seen, facing;
    void main() {
      vec4 at = view * model * vec4(point, 1.0);
      seen = at.xyz;
      facing = mat3(view) * mat3(model) * normal;
      gl_Position = projection * at;
    }`,
  fragment: `
    precision highp float;
    uniform vec3 tint;
    uniform float alpha, edge;
    varying vec3 seen, facing;
    const vec3 key = vec3(-0.424, 0.707, 0.566), fill = vec3(0.78, -0.12, 0.61);
    void main() {
      vec3 eye = normalize(-seen), n = normalize(facing);
      n = dot(n, eye) < 0.0 ? -n : n;
      float light = mix(0.20, 0.38, 0.5 + 0.5 * n.y) + 0.72 * max(dot(n, key), 0.0) + 0.16 * max(dot(n, fill), 0.0);
      float shine = 0.16 * pow(max(dot(n, normalize(key + eye)), 0.0), 40.0);
      float grazing = pow(1.0 - max(dot(n, eye), 0.0), 3.0);
      vec3 lit = pow(pow(tint, vec3(2.2)) * light + shine, vec3(1.0 / 2.2));
      float a = clamp(alpha + edge * grazing, 0.0, 1.0);
      gl_FragColor = vec4(min(lit, 1.0) * a, a);
    }`,
};
const STROKE = {
  vertex: `
    attribute vec3 from, to;
    attribute vec2 corner;  // 0 or 1 along the line, -1 or 1 across it
    uniform mat4 model, view, projection;
    uniform vec2 pixels;
    uniform float width;
    void main() {
      mat4 whole = projection * view * model;
      vec4 a = whole * vec4(from, 1.0), b = whole * vec4(to, 1.0);
      vec2 along = (b.xy / b.w - a.xy / a.w) * pixels;
      along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
      vec4 at = corner.x > 0.5 ? b : a;
      at.xy += vec2(-along.y, along.x) * corner.y * width / pixels * at.w;
      gl_Position = at;
    }`,
  fragment: `
    precision highp float;
    uniform vec3 tint;
    uniform float alpha;
    void main() { gl_FragColor = vec4(tint * alpha, alpha); }`,
};
const WAYS = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => [x, y, z]))).filter((way) => way.some(Boolean));
const MANY_WAYS = Array.from({ length: 300 }, (_, k) => { // about 10 degrees from each to the next
  const [z, angle] = [1 - (2 * k + 1) / 300, k * Math.PI * (3 - Math.sqrt(5))];
  return [Math.sqrt(1 - z * z) * Math.cos(angle), Math.sqrt(1 - z * z) * Math.sin(angle), z];
});

function meshOf(gl, part) {
  const [points, normals, triangles] = [part.points, part.normals, part.triangles].map(unpacked);
  const corners = Array.from({ length: points.length / 3 }, (_, k) => at3(points, k));
  return {
    ...part,
    outline: WAYS.map((way) => farthest(corners, way)),
    points: filled(gl, gl.ARRAY_BUFFER, points),
    normals: filled(gl, gl.ARRAY_BUFFER, normals),
    triangles: filled(gl, gl.ELEMENT_ARRAY_BUFFER, triangles),
    count: triangles.length,
  };
}

// Of points, the one that is farthest in a direction.
function farthest(points, way) {
  let [best, most] = [points[0], -Infinity];
  for (const point of points) {
    const far = dot(point, way);
    if (far > most) [best, most] = [point, far];
  }
  return best;
}

// Pairs of points as two triangles each.
function linesOf(gl, pairs) {
  const corners = [[0, -1], [0, 1], [1, 1], [0, -1], [1, 1], [1, -1]];
  const repeated = (k) => new Float32Array(pairs.flatMap((pair) => corners.flatMap(() => pair[k])));
  return {
    from: filled(gl, gl.ARRAY_BUFFER, repeated(0)),
    to: filled(gl, gl.ARRAY_BUFFER, repeated(1)),
    corner: filled(gl, gl.ARRAY_BUFFER, new Float32Array(pairs.flatMap(() => corners.flat()))),
    count: pairs.length,
  };
}

function filled(gl, kind, values) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(kind, buffer);
  gl.bufferData(kind, values, gl.STATIC_DRAW);
  return buffer;
}

function attribute(gl, program, name, buffer, size) {
  const place = gl.getAttribLocation(program.made, name);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
}

function compiled(gl, source) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, source.vertex], [gl.FRAGMENT_SHADER, source.fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const places = {};
  return { made, of: (name) => (places[name] ??= gl.getUniformLocation(made, name)) };
}

const minus = (a, b) => a.map((each, k) => each - b[k]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const at3 = (values, k) => [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
const rgb = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);

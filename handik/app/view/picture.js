// picture.js: triangles with a depth buffer: figures that move link by link, things that stand, the target. z is up.

const VERTEX = `#version 300 es
uniform mat4 view, place; in vec3 at, out_of; out vec3 normal;
void main() { normal = mat3(place) * out_of; gl_Position = view * place * vec4(at, 1.0); }`;
const FRAGMENT = `#version 300 es
precision mediump float; uniform vec4 color; in vec3 normal; out vec4 seen;
void main() {
  vec3 n = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
  float light = 0.55 + 0.25 * n.z + 0.3 * max(0.0, dot(n, normalize(vec3(0.5, -0.7, 0.6))));
  seen = vec4(color.rgb * min(light, 1.0), color.a);
}`;
const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** Twice the area of a triangle, along its normal. */
function outward(vertices, a, b, c) {
  const [p, q, r] = [a, b, c].map((k) => vertices.subarray(3 * k, 3 * k + 3));
  const u = [0, 1, 2].map((k) => q[k] - p[k]);
  const v = [0, 1, 2].map((k) => r[k] - p[k]);
  return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
}

/** Corners with normals: of what is round those of a vertex are shared, else each triangle is flat. */
function lit(vertices, faces, smooth) {
  const at = smooth ? vertices : Float32Array.from({ length: 3 * faces.length }, (_, k) => vertices[3 * faces[Math.floor(k / 3)] + (k % 3)]);
  const order = smooth ? faces : Uint32Array.from(faces.keys());
  const normal = new Float32Array(at.length);
  for (let f = 0; f < order.length; f += 3) {
    const corners = order.subarray(f, f + 3);
    const n = outward(at, ...corners);
    for (const corner of corners) for (let k = 0; k < 3; k += 1) normal[3 * corner + k] += n[k];
  }
  return { at, normal, order };
}

/** Column-major product of two 4 by 4 matrices. */
function product(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c += 1)
    for (let r = 0; r < 4; r += 1)
      for (let k = 0; k < 4; k += 1) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

/** An eye that turns about a point. */
export class Eye {
  constructor() {
    Object.assign(this, { turn: -1.0, lift: 0.35, far: 3, middle: [0, 0, 0], wide: 1, high: 1 });
  }

  axes() {
    const [ct, st, cl, sl] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.lift), Math.sin(this.lift)];
    return { right: [-st, ct, 0], up: [-ct * sl, -st * sl, cl], back: [ct * cl, st * cl, sl] };
  }

  matrix() {
    const { right, up, back } = this.axes();
    const near = this.far * 0.02;
    const end = this.far * 20;
    const f = 2.4; // focal length, half heights of the picture
    const seat = [0, 1, 2].map((k) => this.middle[k] + this.far * back[k]);
    const dot = (a) => -(a[0] * seat[0] + a[1] * seat[1] + a[2] * seat[2]);
    const turn = new Float32Array(16);
    [right, up, back].forEach((axis, r) => {
      for (let c = 0; c < 3; c += 1) turn[4 * c + r] = axis[c];
      turn[12 + r] = dot(axis);
    });
    turn[15] = 1;
    const lens = new Float32Array(16);
    lens[0] = (f * this.high) / this.wide;
    lens[5] = f;
    lens[10] = (near + end) / (near - end);
    lens[11] = -1;
    lens[14] = (2 * near * end) / (near - end);
    return product(lens, turn);
  }

  /** Where a point is seen: pixels from the corner above left, and metres a pixel there. */
  seen(point) {
    const m = this.matrix();
    const h = [0, 1, 3].map((r) => m[r] * point[0] + m[4 + r] * point[1] + m[8 + r] * point[2] + m[12 + r]);
    const scale = (2 * h[2]) / (2.4 * this.high);
    return { x: ((h[0] / h[2] + 1) * this.wide) / 2, y: ((1 - h[1] / h[2]) * this.high) / 2, scale };
  }
}

export class Picture {
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error('WebGL 2');
    Object.assign(this, { canvas, gl, eye: new Eye() });
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, 'at');
    gl.bindAttribLocation(program, 1, 'out_of');
    gl.linkProgram(program);
    gl.useProgram(program);
    this.spot = Object.fromEntries(['view', 'place', 'color'].map((n) => [n, gl.getUniformLocation(program, n)]));
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Triangles for the card. */
  shape(vertices, faces, smooth) {
    const { gl } = this;
    const { at, normal, order } = lit(vertices, faces, smooth);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [at, normal].forEach((values, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, order, gl.STATIC_DRAW);
    return { array, count: order.length };
  }

  resize() {
    const { canvas, eye } = this;
    const by = Math.min(window.devicePixelRatio || 1, 2);
    [eye.wide, eye.high] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    [canvas.width, canvas.height] = [Math.round(eye.wide * by), Math.round(eye.high * by)];
    this.gl.viewport(0, 0, canvas.width, canvas.height);
  }

  /** Draw rows {shape, place (by rows, 16) or null, color [r, g, b], opacity}. */
  draw(rows, paper) {
    const { gl, spot } = this;
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(spot.view, false, this.eye.matrix());
    const draw = ({ shape, place, color, opacity }) => {
      gl.uniformMatrix4fv(spot.place, Boolean(place), place ? Float32Array.from(place) : IDENTITY);
      gl.uniform4f(spot.color, ...color, opacity);
      gl.bindVertexArray(shape.array);
      gl.drawElements(gl.TRIANGLES, shape.count, gl.UNSIGNED_INT, 0);
    };
    rows.filter((row) => row.opacity >= 1).forEach(draw);
    const clear = rows.filter((row) => row.opacity < 1 && !row.through);
    gl.colorMask(false, false, false, false); // depths first: of a translucent figure the outside alone is seen
    clear.forEach(draw);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    gl.depthFunc(gl.LEQUAL);
    clear.forEach(draw);
    gl.disable(gl.DEPTH_TEST);
    rows.filter((row) => row.through).forEach(draw);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
  }
}

/** A ball, for the target: vertices and faces. */
export function ball(radius, rings = 12) {
  const [vertices, faces, wide] = [[], [], 2 * rings];
  for (let i = 0; i <= rings; i += 1)
    for (let j = 0; j < wide; j += 1) {
      const [a, b] = [(Math.PI * i) / rings, (Math.PI * j) / rings];
      vertices.push(...[Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)].map((x) => radius * x));
      const [k, n] = [i * wide, (j + 1) % wide];
      if (i < rings) faces.push(k + j, k + wide + j, k + wide + n, k + j, k + wide + n, k + n);
    }
  return [Float32Array.from(vertices), Uint32Array.from(faces)];
}

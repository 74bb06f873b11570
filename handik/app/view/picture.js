// picture.js: triangles in light and shadow: figures that move link by link or in their skin, things that stand, the
// target. The light is that of the application: a sky, a sun with its shadow, and the lamps of the scene. z is up.

const SHADOW = 1024;
const VERTEX = `#version 300 es
uniform mat4 view, place, sun;
uniform highp sampler2D bones;
uniform float skinned, thick;
in vec3 at, out_of;
in vec4 joints, weights;
out vec3 normal, spot, shade;
mat4 bone(float j) {
  int k = int(j);
  return transpose(mat4(texelFetch(bones, ivec2(0, k), 0), texelFetch(bones, ivec2(1, k), 0), texelFetch(bones, ivec2(2, k), 0), vec4(0, 0, 0, 1)));
}
void main() {
  mat4 m = place;
  if (skinned > 0.5) m = weights.x * bone(joints.x) + weights.y * bone(joints.y) + weights.z * bone(joints.z) + weights.w * bone(joints.w);
  vec4 p = m * vec4(at, 1);
  normal = mat3(m) * out_of;
  spot = p.xyz;
  float size = length(normal);
  shade = 0.5 + 0.5 * (sun * (p + vec4(size > 0.0 ? thick / size * normal : normal, 0))).xyz;
  gl_Position = view * p;
}`;
const DARK = `#version 300 es
void main() {}`;
// Lambert and the highlights of GGX, as three.js has them; colors are mixed in linear light.
const FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 color;
uniform vec3 eye, toSun;
uniform float rough, count, kind;
uniform highp sampler2D lamps;
uniform highp sampler2DShadow shadow;
in vec3 normal, spot, shade;
out vec4 seen;
float lit() {
  if (any(greaterThan(abs(shade - 0.5), vec3(0.499)))) return 1.0;
  float sum = 0.0;
  for (int x = -1; x < 2; x += 1) for (int y = -1; y < 2; y += 1) sum += texture(shadow, shade + vec3(vec2(x, y) / ${SHADOW}.0, -0.0015));
  return sum / 9.0;
}
vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }
vec3 n, back, base;
vec3 glow(vec3 l, vec3 power) {
  float nl = max(dot(n, l), 0.0), nv = max(dot(n, back), 0.0), a = pow(rough, 4.0);
  vec3 h = normalize(l + back);
  float nh = max(dot(n, h), 0.0), vh = max(dot(back, h), 0.0);
  float d = a / (3.1416 * pow(nh * nh * (a - 1.0) + 1.0, 2.0));
  float v = 0.5 / max(nl * sqrt(a + (1.0 - a) * nv * nv) + nv * sqrt(a + (1.0 - a) * nl * nl), 1e-6);
  return power * nl * (base / 3.1416 + d * v * (0.04 + 0.96 * exp2((-5.55473 * vh - 6.98316) * vh)));
}
void main() {
  seen = color;
  if (kind > 1.5) seen.a *= 1.0 - lit();
  if (kind > 0.5) return;
  n = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
  back = normalize(eye - spot);
  base = linear(color.rgb);
  vec3 light = base / 3.1416 * 1.7 * mix(vec3(0.266, 0.266, 0.319), vec3(1), 0.5 + 0.5 * n.z) + glow(toSun, vec3(1.9) * lit());
  for (int k = 0; k < int(count); k += 1) {
    vec4 from = texelFetch(lamps, ivec2(0, k), 0), along = texelFetch(lamps, ivec2(1, k), 0), power = texelFetch(lamps, ivec2(2, k), 0);
    vec3 l = from.xyz - spot;
    float far = from.w > 0.5 ? max(dot(l, l), 0.01) : 1.0;
    l = from.w > 0.5 ? normalize(l) : -along.xyz;
    if (from.w > 1.5) far /= max(smoothstep(along.w, power.w, -dot(l, along.xyz)), 1e-4);
    light += glow(l, power.rgb / far);
  }
  light = clamp(light, 0.0, 1.0);
  seen.rgb = mix(light * 12.92, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
}`;
const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const UNIFORMS = ['view', 'place', 'sun', 'bones', 'skinned', 'thick', 'color', 'lamps', 'eye', 'toSun', 'rough', 'count', 'kind', 'shadow'];
const SUN = [0.433, 0.315, 0.845]; // of length 1

/** Twice the area of a triangle, along its normal. */
function outward(vertices, a, b, c) {
  const [p, q, r] = [a, b, c].map((k) => vertices.subarray(3 * k, 3 * k + 3));
  const u = [0, 1, 2].map((k) => q[k] - p[k]);
  const v = [0, 1, 2].map((k) => r[k] - p[k]);
  return cross(u, v);
}

const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

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

/** What turns the world so that `seat` is the origin and three axes are x, y and z. */
function turned(axes, seat) {
  const turn = new Float32Array(16);
  axes.forEach((axis, r) => {
    for (let c = 0; c < 3; c += 1) turn[4 * c + r] = axis[c];
    turn[12 + r] = -dot(axis, seat);
  });
  turn[15] = 1;
  return turn;
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

  /** Where it is. */
  get seat() {
    const { back } = this.axes();
    return this.middle.map((x, k) => x + this.far * back[k]);
  }

  matrix() {
    const { right, up, back } = this.axes();
    const near = this.far * 0.02;
    const end = this.far * 20;
    const f = 2.4; // focal length, half heights of the picture
    const lens = new Float32Array(16);
    lens[0] = (f * this.high) / this.wide;
    lens[5] = f;
    lens[10] = (near + end) / (near - end);
    lens[11] = -1;
    lens[14] = (2 * near * end) / (near - end);
    return product(lens, turned([right, up, back], this.seat));
  }

  /** Where a point is seen: pixels from the corner above left, and meters a pixel there. */
  seen(point) {
    const m = this.matrix();
    const h = [0, 1, 3].map((r) => m[r] * point[0] + m[4 + r] * point[1] + m[8 + r] * point[2] + m[12 + r]);
    const scale = (2 * h[2]) / (2.4 * this.high);
    return { x: ((h[0] / h[2] + 1) * this.wide) / 2, y: ((1 - h[1] / h[2]) * this.high) / 2, scale };
  }
}

export class Picture {
  /** In a place of the page, which keeps its listeners when a canvas is lost. */
  constructor(place, lamps) {
    Object.assign(this, { place, eye: new Eye(), shapes: [], lamps: Float32Array.from(lamps.flat()), onlost: () => {} });
    this.open();
  }

  /** A canvas with all there is: the first, or in place of one whose context the browser took, as it does from who has many. */
  open() {
    const canvas = document.createElement('canvas');
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error('WebGL 2');
    canvas.addEventListener('webglcontextlost', () => this.onlost());
    this.place.replaceChildren(canvas);
    Object.assign(this, { canvas, gl });
    [this.dark, this.bright] = [DARK, FRAGMENT].map((text) => this.#program(text));
    const depth = this.#texture(gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, SHADOW, SHADOW, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.depth = depth;
    this.under = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.under);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.none = this.bones(new Float32Array(12));
    this.glow = this.bones(this.lamps.length ? this.lamps : new Float32Array(12));
    for (const shape of this.shapes) this.#load(shape);
  }

  get lost() {
    return this.gl.isContextLost();
  }

  #program(fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    ['at', 'out_of', 'joints', 'weights'].forEach((name, k) => gl.bindAttribLocation(program, k, name));
    gl.linkProgram(program);
    return { program, spot: Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)])) };
  }

  #texture(filter) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, filter);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
    return texture;
  }

  /** Triangles for the card, with the bones that move them where they have some; of lines their ends. */
  shape(vertices, faces, smooth, skin = null) {
    const { gl } = this;
    const { at, normal, order } = faces ? lit(vertices, faces, smooth) : { at: vertices, normal: vertices, order: Uint32Array.from({ length: vertices.length / 3 }, (_, k) => k) };
    const rows = [[at, 3, gl.FLOAT], [normal, 3, gl.FLOAT]];
    if (skin) rows.push([skin.joints, 4, gl.UNSIGNED_BYTE], [skin.weights, 4, gl.UNSIGNED_BYTE, true]);
    const shape = { rows, order, count: order.length, mode: faces ? gl.TRIANGLES : gl.LINES };
    this.shapes.push(shape);
    this.#load(shape);
    return shape;
  }

  #load(shape) {
    const { gl } = this;
    shape.array = gl.createVertexArray();
    gl.bindVertexArray(shape.array);
    shape.rows.forEach(([values, size, type, share = false], k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, type, share, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, shape.order, gl.STATIC_DRAW);
  }

  /** Rows of 12 numbers for the card: matrices of bones, lamps; in a texture that is there, unless it went with its canvas. */
  bones(rows, texture = null) {
    const { gl } = this;
    const found = texture && gl.isTexture(texture) ? texture : this.#texture(gl.NEAREST);
    gl.bindTexture(gl.TEXTURE_2D, found);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 3, rows.length / 12, 0, gl.RGBA, gl.FLOAT, rows);
    return found;
  }

  resize() {
    const { canvas, eye, place } = this;
    const by = Math.min(window.devicePixelRatio || 1, 2);
    [eye.wide, eye.high] = [place.clientWidth || 1, place.clientHeight || 1];
    const size = [eye.wide, eye.high].map((x) => Math.round(by * x));
    if (size[0] !== canvas.width || size[1] !== canvas.height) [canvas.width, canvas.height] = size;
  }

  /** The sun's picture of a ball about `middle`. */
  #sun({ middle, reach }) {
    const side = [SUN[1], -SUN[0], 0].map((x) => x / Math.hypot(SUN[0], SUN[1]));
    const lens = new Float32Array(16);
    [lens[0], lens[5], lens[10], lens[15]] = [1 / reach, 1 / reach, -1 / reach, 1];
    return product(lens, turned([side, cross(SUN, side), SUN], middle));
  }

  #draw({ spot }, row) {
    const { gl } = this;
    gl.uniformMatrix4fv(spot.place, Boolean(row.place), row.place ? Float32Array.from(row.place) : IDENTITY);
    gl.uniform1f(spot.skinned, row.bones ? 1 : 0);
    gl.bindTexture(gl.TEXTURE_2D, row.bones ?? this.none);
    gl.uniform1f(spot.rough, row.rough ?? 0.75);
    gl.uniform1f(spot.kind, row.kind ?? 0);
    gl.bindVertexArray(row.shape.array);
    let from = 0;
    for (const [color, count] of row.parts ?? [[row.color, row.shape.count]]) {
      gl.uniform4f(spot.color, ...color, row.opacity);
      gl.drawElements(row.shape.mode, count, gl.UNSIGNED_INT, 4 * from);
      from += count;
    }
  }

  /** Draw rows {shape, place (by rows, 16) or null, bones, color [r, g, b] or parts [[color, count]], opacity, casts, rough,
      kind (0 lit, 1 as it is, 2 the shadows on it alone), through}; `stage` {middle, reach} is what the sun sees. */
  draw(rows, paper, stage) {
    const { gl, dark, bright } = this;
    const sun = this.#sun(stage);
    const begin = ({ program, spot }, view, to, wide, high) => {
      gl.useProgram(program);
      gl.bindFramebuffer(gl.FRAMEBUFFER, to);
      gl.viewport(0, 0, wide, high);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(spot.view, false, view);
      gl.uniformMatrix4fv(spot.sun, false, sun);
      gl.uniform1i(spot.bones, 0);
    };
    begin(dark, sun, this.under, SHADOW, SHADOW);
    rows.filter((row) => row.casts).forEach((row) => this.#draw(dark, row));
    gl.clearColor(...paper, 1);
    begin(bright, this.eye.matrix(), null, this.canvas.width, this.canvas.height);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.activeTexture(gl.TEXTURE0);
    const { spot } = bright;
    gl.uniform1i(spot.shadow, 1);
    gl.uniform1f(spot.thick, 0.007 * stage.reach);
    gl.uniform3f(spot.eye, ...this.eye.seat);
    gl.uniform3f(spot.toSun, ...SUN);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.glow);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(spot.lamps, 2);
    gl.uniform1f(spot.count, this.lamps.length / 12);
    const draw = (row) => this.#draw(bright, row);
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

/** Lines of a grid on the ground, `half` each way. */
export function grid(half, step) {
  const ends = [];
  for (let k = -half; k <= half + 1e-9; k += step) ends.push(k, -half, 0, k, half, 0, -half, k, 0, half, k, 0);
  return Float32Array.from(ends);
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

// What the panels ask for, as actions of Python's table: the one place that knows their ids.

const SETTINGS = {
  solver: 'solve.solver', tolerance: 'solve.tolerance', max_iter: 'solve.max_iter', live: 'solve.live', hand: 'solve.hand', want: 'target.want',
  mirror: 'joint.mirror', mode: 'view.mode', draw: 'view.draw', body: 'view.body', snap: 'view.snap',
  language: 'view.language', theme: 'view.theme',
};

export const ASKS = {
  select: ({ paths }) => ['node.select', { nodes: paths }],
  rename: ({ path, name }) => ['node.rename', { node: path, name }],
  delete: ({ paths }) => ['node.delete', { nodes: paths }],
  hide: ({ path }) => ['node.hide', { nodes: [path] }],
  show: ({ path }) => ['node.hide', { nodes: [path] }],
  unlock: ({ path }) => ['node.lock', { nodes: [path] }],
  setting: ({ name, value }) => [SETTINGS[name], { [name]: value }],
  'pose.reset': () => ['pose.reset', {}],
  'avatar.initialise': () => ['avatar.initialise', {}],
  'pose.mirror': () => ['pose.mirror', {}],
  'pose.apply': ({ name }) => ['pose.apply', { name }],
  'pose.forget': ({ name }) => ['pose.forget', { name }],
  paste: ({ q }) => ['pose.set', { q }],
  jog: (step) => ['hand.jog', step],
  swivel: ({ by }) => ['arm.swivel', { by }],
  hold: ({ dof }) => ['joint.lock', { dof }],
  joint: ({ dof, value }) => ['joint.set', { dof, value }],
  solve: () => ['solve.run', {}],
  target: ({ at }) => ['target.set', { at }],
  ghost: ({ solver }) => ['solve.ghost', { solver }],
  steps: (two) => ['solve.steps', two],
  steps_off: () => ['solve.steps_off', {}],
  person: (change) => ['person.set', change],
  measure: (one) => ['person.measure', one],
  chair: (said) => ['person.chair', said],
  judge: () => ['chair.judge', {}],
  alone: () => ['person.alone', {}],
  apply: ({ change }) => ['access.apply', { change }],
  verdict: () => ['access.reach', {}],
  witness: () => ['access.show', {}],
};

/** Actions that begin with the browser's own dialog for a file. */
export const FILES = { 'file.open': 'open', 'file.import': 'import', 'motion.open': 'motion' };
/** Actions that go on from the posture that is seen: while a path is played it is taken first. */
export const FROM_SEEN = ['joint.set', 'joint.lock', 'pose.save', 'pose.copy', 'pose.mirror', 'hand.jog', 'arm.swivel', 'arm.swivel_in', 'solve.run', 'solve.ghost', 'solve.steps', 'target.hand', 'target.via'];
/** Actions that need no dialog: what they can be told besides is for callers in Python. */
export const DIRECT = ['file.save', 'target.via', 'arm.swivel', 'arm.swivel_in'];

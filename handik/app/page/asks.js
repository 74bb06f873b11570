// What the panels ask for, as actions of Python's table: the one place that knows their ids.

export const ASKS = {
  select: ({ paths }) => ['select', { nodes: paths }],
  rename: ({ path, name }) => ['node.rename', { node: path, name }],
  delete: ({ path }) => ['node.delete', { nodes: [path] }],
  hide: ({ path }) => ['node.hide', { nodes: [path] }],
  show: ({ path }) => ['node.show', { nodes: [path] }],
  unlock: ({ path }) => ['node.unlock', { nodes: [path] }],
  setting: ({ name, value }) => ['settings.set', { name, value }],
  'pose.reset': () => ['pose.reset', {}],
  'pose.mirror': () => ['pose.mirror', {}],
  'dof.reset': ({ dof }) => ['dof.reset', { dof }],
  solve: () => ['solve', {}],
  initialise: () => ['initialise', {}],
  'target.here': () => ['target.here', {}],
  ghost: ({ solver }) => ['solve.ghost', { solver }],
  person: (change) => ['person.set', change],
  verdict: () => ['verdict', {}],
  'verdict.show': ({ row }) => ['verdict.show', { row }],
};

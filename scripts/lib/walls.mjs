/**
 * Who may import whom, as data. `npm run check` turns it into dependency-cruiser rules (../walls.mjs) and plants a violation of every one of them.
 * A folder may always import itself; a name that ends in `/index` means the public doors (index.ts files) of a folder and of its subfolders.
 */
const belowNet = ['engine/base', 'engine/sim', 'engine/trace'];

export const folders = {
  'engine/base': [],
  'engine/sim': ['engine/base'],
  'engine/trace': ['engine/base', 'engine/sim'],
  'engine/net': belowNet,
  'engine/netfilter': [...belowNet, 'engine/net'],
  'engine/ipvs': [...belowNet, 'engine/net', 'engine/netfilter'],
  'engine/k8s': belowNet,
  'engine/kubeproxy': [...belowNet, 'engine/k8s', 'engine/netfilter/index', 'engine/ipvs/index'],
  'engine/dns': [...belowNet, 'engine/net', 'engine/k8s', 'engine/workload types'],
  'engine/workload': [...belowNet, 'engine/net', 'engine/dns'],
  'engine/cluster': ['engine'],
  explain: ['engine types'],
  shell: ['engine/index', 'explain types'],
  scenario: ['engine/index', 'shell'],
  import: ['engine/index', 'explain types'],
  diagnose: ['engine/index', 'explain types'],
  session: ['engine/index', 'shell', 'scenario', 'import', 'diagnose'],
  store: ['session', 'explain', 'scenario types', 'engine types'],
  view: ['store', 'session', 'explain', 'scenario types', 'engine types', 'embed'],
  embed: ['store', 'session', 'explain', 'scenario types', 'engine types', 'view'],
  cli: ['session', 'scenario', 'explain', 'import', 'diagnose', 'testing', 'engine types'],
  testing: ['engine', 'shell', 'scenario', 'session', 'explain', 'import', 'diagnose', 'cli'],
};

/** Outside packages that only some folders may name. */
export const packages = [
  {
    name: 'react',
    of: '^(react|react-dom|radix-ui|lucide-react|zustand|@tanstack/.*|react-resizable-panels)(/|$)',
    only: ['store', 'view', 'embed', 'main.tsx'],
  },
  { name: 'xterm', of: '^@xterm/', only: ['view/terminal'] },
  { name: 'just-bash', of: '^just-bash', only: ['shell'] },
  { name: 'd3', of: '^d3-', only: ['view', 'embed'] },
  { name: 'codemirror', of: '^(codemirror|@codemirror/.*)', only: ['view'] },
];

/** The pure packages that the engine may use. */
export const enginePackages = '^@noble/hashes';

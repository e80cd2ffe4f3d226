export { Cluster, createCluster } from './cluster';
export { netnsOfPod, podNetns } from './cni';
export { imageDef, toolsOf } from './images';
export { podFiles, podOfNetns } from './podfiles';
export { labProxy } from './profiles/lab-proxy';
export { threeNodes } from './profiles/three-nodes';
export { twoNetns } from './profiles/two-netns';
export { providePrograms } from './programs';
export type { ClusterSpec, ControlPlaneSpec, MachineSpec, ServerSpec } from './spec';

import { describe, expect, it } from 'vitest';
import { createNet, DEVS, ROUTES } from '../net';
import { createCtx } from '../trace';
import { buildMachines } from './machines';
import { labProxy } from './profiles/lab-proxy';
import { threeNodes } from './profiles/three-nodes';
import { twoNetns } from './profiles/two-netns';

describe('machines of the profiles', () => {
  it.each([
    ['two-netns', twoNetns(), 4],
    ['three-nodes', threeNodes(), 15],
    ['lab-proxy', labProxy({}), 62],
  ])('%s: every link and route can be made', (_, spec, devices) => {
    const ctx = createCtx(7);
    const net = createNet(ctx);
    buildMachines(net, spec.machines);
    expect(ctx.world.map(DEVS).size).toBe(devices);
    expect(ctx.world.map(ROUTES).size).toBeGreaterThan(1);
  });
  it('a pod of node-1 reaches a pod of node-3 by host-gw routes', () => {
    const ctx = createCtx(7);
    const net = createNet(ctx);
    buildMachines(net, labProxy({}).machines);
    expect(net.lookupRoute('node-1', { dst: '10.244.3.10' })).toMatchObject({
      kind: 'unicast',
      oif: 'node-1:eth0',
      via: '192.168.10.13',
    });
    expect(net.lookupRoute('node-3', { dst: '10.244.3.10' })).toMatchObject({ kind: 'unicast', oif: 'node-3:cni0' });
  });
});

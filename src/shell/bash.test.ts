import { beforeAll, describe, expect, it } from 'vitest';
import { node, openTerminal, pod, SMALL, type Terminal, workstation } from '../testing/terminal';

let t: Terminal;
beforeAll(() => {
  t = openTerminal(SMALL);
});

describe('pipelines of our programs and the text tools', () => {
  it('counts rules', async () => {
    const save = await t.out(node(), 'iptables-save');
    const lines = save.split('\n').filter((l) => l.includes('KUBE')).length;
    expect(lines).toBeGreaterThan(20);
    expect(await t.out(node(), 'iptables-save | grep -c KUBE')).toBe(`${lines}\n`);
  });

  it('takes columns with awk', async () => {
    expect(await t.out(workstation, "kubectl get pods -o wide | awk '{print $1}'")).toBe(
      'NAME\nclient\nweb-1\nweb-2\n',
    );
    expect(await t.out(workstation, 'kubectl get svc web -o json | jq -r .spec.clusterIP')).toBe('10.96.32.15\n');
  });

  it('keeps summaries on stderr apart', async () => {
    const r = await t.type(node(), 'conntrack -L 2>/dev/null | wc -l');
    expect(r.stderr).toBe('');
    expect(r.stdout).toMatch(/^\d+\n$/);
    const both = await t.type(node(), 'conntrack -L >/dev/null');
    expect(both.stderr).toMatch(/^conntrack v1\.4\.7 \(conntrack-tools\): \d+ flow entries have been shown\.\n$/);
  });

  it('xargs, loops and substitution reach the session', async () => {
    expect(await t.out(workstation, 'for p in $(kubectl get pods -o name); do echo "<$p>"; done')).toBe(
      '<pod/client>\n<pod/web-1>\n<pod/web-2>\n',
    );
    expect(await t.out(workstation, 'kubectl get pods -o name | xargs -n1 kubectl get -o name')).toBe(
      'pod/client\npod/web-1\npod/web-2\n',
    );
  });

  it('each line of output knows its event', async () => {
    const r = await t.type(pod('client'), 'curl -s http://web/ && echo done');
    expect(r.stdout).toMatch(/^hello from web-[12]\ndone\n$/);
    expect(r.seqs).toHaveLength(2);
    expect(r.seqs[0]).toBeGreaterThan(0);
    expect(r.seqs[1]).toBeGreaterThanOrEqual(r.seqs[0] as number);
  });
});

describe('quoting and exit codes', () => {
  it('words arrive as they were quoted', async () => {
    const r = await t.type(workstation, `kubectl get pod 'a b' "c'd"`);
    expect(r.stderr).toBe(
      `Error from server (NotFound): pods "a b" not found\nError from server (NotFound): pods "c'd" not found\n`,
    );
    expect(r.exit).toBe(1);
  });

  it('$? and && follow the program', async () => {
    expect(await t.out(node(), 'iptables -t nat -C KUBE-SERVICES -j NOPE; echo $?')).toBe('2\n');
    expect(await t.out(workstation, 'kubectl get pod nope 2>/dev/null || echo "exit $?"')).toBe('exit 1\n');
    expect((await t.type(workstation, 'kubectl get ns && exit 7')).exit).toBe(7);
  });

  it('an unknown command is said as bash says it', async () => {
    expect(await t.type(node(), 'foo --bar')).toMatchObject({ stderr: 'bash: foo: command not found\n', exit: 127 });
    expect(await t.type(workstation, 'iptables -L')).toMatchObject({
      stderr: 'bash: iptables: command not found\n',
      exit: 127,
    });
    expect(await t.type(pod('web-1'), 'curl http://web')).toMatchObject({ exit: 127 });
  });

  it('a syntax error is one line', async () => {
    expect(await t.type(node(), 'if true')).toMatchObject({
      stderr: 'bash: syntax error: unexpected end of file\n',
    });
  });

  it('kubectl exec runs in the pod and hands its status on', async () => {
    const r = await t.type(workstation, `kubectl exec client -- sh -c 'hostname; exit 3'`);
    expect(r).toMatchObject({ stdout: 'client\n', stderr: 'command terminated with exit code 3\n', exit: 3 });
  });
});

describe('simulated time', () => {
  const seconds = async (): Promise<number> => Number(await t.out(workstation, 'date +%s'));

  it('sleep is the time of the world', async () => {
    const before = await seconds();
    await t.type(workstation, 'sleep 5');
    const between = (await seconds()) - before;
    expect(between).toBe(5);
    expect(await t.out(workstation, 's=$SECONDS; sleep 2; echo $((SECONDS - s))')).toBe('2\n');
  });

  it('timeout ends on the simulated clock', async () => {
    const before = await seconds();
    expect(await t.out(node(), 'timeout 3 sleep 100; echo $?')).toBe('124\n');
    expect((await seconds()) - before).toBe(3);
    expect(await t.out(pod('client'), 'timeout 2 ping -q 10.244.1.1; echo $?')).toContain('124\n');
  });

  it('random numbers are the same every time', async () => {
    const numbers = async (): Promise<string> => openTerminal(SMALL).out(workstation, 'echo $RANDOM $RANDOM');
    const first = await numbers();
    expect(first).toMatch(/^\d+ \d+\n$/);
    expect(await numbers()).toBe(first);
  });

  it('watch and endless loops end by themselves', async () => {
    const w = await t.type(workstation, 'watch -t -n 1 date +%S');
    expect(w.stdout.split('\n').filter((l) => /^\d\d$/.test(l))).toHaveLength(30);
    const loop = await t.type(workstation, 'while true; do :; done');
    expect(loop.exit).not.toBe(0);
  });

  it('^C stops a loop between two commands', async () => {
    const abort = new AbortController();
    const running = t.type(workstation, 'while sleep 1; do date; done', { signal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    expect((await running).exit).toBe(130);
  });
});

describe('files', () => {
  it('/proc and /sys are the place’s, live', async () => {
    const key = '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_time_wait';
    expect(
      await t.out(
        node(),
        `cat ${key}; echo 30 > ${key}; cat ${key}; sysctl -n net.netfilter.nf_conntrack_tcp_timeout_time_wait`,
      ),
    ).toBe('120\n30\n30\n');
    expect(await t.out(node('node-2'), `cat ${key}`)).toBe('120\n');
    expect(await t.type(pod('client'), 'echo 1 > /proc/sys/net/ipv4/ip_forward')).toMatchObject({ exit: 1 });
    expect(await t.out(pod('client'), 'grep ^nameserver /etc/resolv.conf')).toBe('nameserver 10.96.0.10\n');
    expect(await t.type(node(), 'cat /etc')).toMatchObject({ stderr: 'cat: /etc: Is a directory\n', exit: 1 });
  });

  it('own files are there for the programs', async () => {
    await t.type(
      workstation,
      `printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: notes}\\ndata: {a: b}\\n' > cm.yaml`,
    );
    expect(await t.out(workstation, 'kubectl apply -f cm.yaml')).toBe('configmap/notes created\n');
    expect(await t.out(workstation, 'cat cm.yaml | sed s/b}/c}/ | kubectl apply -f -')).toBe(
      'configmap/notes configured\n',
    );
    expect(await t.out(workstation, `kubectl get cm notes -o jsonpath='{.data.a}'`)).toBe('c');
  });

  it('variables and the directory stay; places have their own', async () => {
    await t.type(node(), 'cd /tmp; X=5');
    expect(await t.out(node(), 'echo $X $PWD')).toBe('5 /tmp\n');
    expect(await t.out(node('node-2'), 'echo "[$X]" $PWD')).toBe('[] /root\n');
  });
});

describe('completion', () => {
  it('knows what is there now', () => {
    const c = (place: Parameters<Terminal['type']>[0], line: string): readonly string[] =>
      t.session.complete(place, line, t.session.trace.events.length);
    expect(c(workstation, 'kubectl get pod ')).toEqual(expect.arrayContaining(['web-1', 'web-2', 'client']));
    expect(c(node(), 'iptables -t nat -L ')).toEqual(expect.arrayContaining(['KUBE-SERVICES']));
    expect(c(pod('client'), 'curl http://')).toEqual(expect.arrayContaining(['http://web', 'http://10.96.32.15']));
    expect(c(workstation, 'kub')).toContain('kubectl');
  });
});

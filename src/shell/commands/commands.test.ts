import { beforeAll, describe, expect, it } from 'vitest';
import { node, openTerminal, pod, SMALL, type Terminal, workstation } from '../../testing/terminal';
import { COMMANDS, commandNamed, installed } from '.';

let t: Terminal;
beforeAll(() => {
  t = openTerminal(SMALL);
});

describe('which programs there are', () => {
  it('every name is there once and found by it', () => {
    const names = COMMANDS.flatMap((c) => [c.name, ...(c.aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
    for (const c of COMMANDS) expect(commandNamed(c.name)).toBe(c);
    expect(commandNamed('/usr/sbin/iptables')?.name).toBe('iptables');
    expect(commandNamed('rm')).toBeUndefined();
  });

  it('images have their own', async () => {
    const base = {
      ref: workstation,
      netns: undefined,
      machine: '',
      hostname: '',
      packages: 'debian12' as const,
      files: {},
    };
    const kernel = { release: '6.18.44', version: '', modules: undefined, available: [], bootUs: 0 };
    const has = (image: 'busybox' | 'slim' | 'node', name: string): boolean =>
      installed({ ...base, kernel, image }, name);
    expect([has('slim', 'curl'), has('busybox', 'curl'), has('busybox', 'wget'), has('node', 'ipset')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(await t.out(node(), 'which iptables curl')).toBe('/usr/sbin/iptables\n/usr/bin/curl\n');
    expect((await t.type(pod('web-1'), 'which curl')).exit).toBe(1);
  });

  it('programs that only list answer at a past cursor, others say that they act', () => {
    const acts = (line: string): boolean | undefined =>
      commandNamed(line.split(' ')[0] as string)?.acts(line.split(' '));
    for (const line of [
      'iptables -t nat -L',
      'iptables-save',
      'conntrack -L',
      'ip route',
      'ss -tan',
      'sysctl -a',
      'kubectl get pods',
    ]) {
      expect([line, acts(line)]).toEqual([line, false]);
    }
    for (const line of [
      'iptables -A INPUT -j DROP',
      'conntrack -F',
      'conntrack -E',
      'ip link set eth0 down',
      'sysctl -w a=1',
      'curl x',
      'kubectl delete pod x',
    ]) {
      expect([line, acts(line)]).toEqual([line, true]);
    }
  });
});

describe('the network as the tools show it', () => {
  it('ip: addresses, routes, the way to a Service', async () => {
    expect(await t.out(pod('client'), 'ip -br -4 addr')).toMatch(
      /^lo +UNKNOWN +127\.0\.0\.1\/8 \neth0@if\d+ +UP +10\.244\.1\.\d+\/24 \n$/,
    );
    expect(await t.out(pod('client'), 'ip route')).toMatch(/^default via 10\.244\.1\.1 dev eth0 \n/);
    expect(await t.out(pod('client'), 'ip route get 10.96.32.15')).toMatch(
      /^10\.96\.32\.15 via 10\.244\.1\.1 dev eth0 src 10\.244\.1\.\d+ uid 0 \n {4}cache \n$/,
    );
    expect(await t.type(node(), 'ip addr show nope')).toMatchObject({
      stderr: 'Device "nope" does not exist.\n',
      exit: 1,
    });
    expect(await t.type(node(), 'ip frob')).toMatchObject({
      stderr: 'Object "frob" is unknown, try "ip help".\n',
      exit: 1,
    });
    expect((await t.type(node(), 'ip neigh help')).stderr).toMatch(/^Usage: ip neigh /);
  });

  it('ip: changes take effect', async () => {
    const own = openTerminal(SMALL);
    expect(
      await own.type(node(), 'ip link add kube-ipvs0 type dummy && ip addr add 10.96.0.99/32 dev kube-ipvs0'),
    ).toMatchObject({ exit: 0 });
    expect(await own.out(node(), 'ip -br addr show kube-ipvs0')).toMatch(/^kube-ipvs0 +DOWN +10\.96\.0\.99\/32 \n$/);
    expect((await own.type(node(), 'ip link add kube-ipvs0 type dummy')).stderr).toBe(
      'RTNETLINK answers: File exists\n',
    );
    await own.type(node(), 'ip route add blackhole 198.51.100.0/24; ip link del kube-ipvs0');
    expect(await own.out(node(), 'ip route show type blackhole')).toBe('blackhole 198.51.100.0/24 \n');
    expect((await own.type(pod('client'), 'ping -c1 -W1 198.51.100.1')).exit).toBe(1);
  });

  it('ss, netstat, bridge, route, arp', async () => {
    expect(await t.out(pod('web-1'), 'cat /proc/net/tcp | wc -l')).toMatch(/^[2-9]\n$/);
    expect(await t.out(node(), 'ss -Htln sport = :10256')).toMatch(
      /^LISTEN +0 +4096 +0\.0\.0\.0:10256 +0\.0\.0\.0:\* *\n$/,
    );
    expect(await t.out(node(), 'netstat -tln')).toContain('0.0.0.0:10256');
    expect(await t.out(node(), 'ss -tln | grep -c 30080; true')).toBe('0\n');
    expect(await t.out(node(), 'bridge link show')).toMatch(/master cni0 state forwarding/);
    expect(await t.out(node(), 'route -n')).toMatch(/^Kernel IP routing table\n/);
    await t.type(pod('client'), 'ping -c1 10.244.1.1');
    expect(await t.out(pod('client'), 'arp -n')).toMatch(/10\.244\.1\.1 +ether +02:/);
  });
});

describe('clients', () => {
  it('curl, wget, nc, ping, traceroute, telnet and getent reach the Service or say why not', async () => {
    const c = pod('client');
    expect(await t.out(c, 'curl -s http://web')).toMatch(/^hello from web-[12]\n$/);
    expect(await t.out(c, 'wget -qO- http://web.default.svc.cluster.local')).toMatch(/^hello from web-[12]\n$/);
    expect((await t.type(c, 'nc -zv 10.96.32.15 80')).stderr).toBe(
      'Connection to 10.96.32.15 80 port [tcp/http] succeeded!\n',
    );
    expect((await t.type(c, 'curl -sS http://10.244.1.2:81')).exit).toBe(7);
    expect((await t.type(c, 'curl -s http://nowhere')).exit).toBe(6);
    expect(await t.out(c, 'ping -c 2 10.244.1.1')).toContain('2 packets transmitted, 2 received, 0% packet loss');
    expect(await t.out(c, 'traceroute -n -q 1 10.244.1.1')).toMatch(
      /^traceroute to 10\.244\.1\.1 .*\n 1 {2}10\.244\.1\.1 /,
    );
    expect((await t.type(c, 'telnet 10.244.1.2 81')).exit).toBe(1);
    expect(await t.out(c, 'getent hosts web')).toMatch(/^10\.96\.32\.15 +web\.default\.svc\.cluster\.local\n$/);
  });
});

describe('tcpdump', () => {
  it('shows a packet before and after its address is rewritten', async () => {
    const own = openTerminal(SMALL);
    const { sim } = own.session.cluster.ctx;
    own.session.do({ op: 'advance', us: 1_000_000 });
    sim.on('test.curl', () =>
      own.session.do({
        op: 'run',
        place: pod('client'),
        argv: ['curl', '-s', '--local-port', '40001', 'http://10.96.32.15'],
      }),
    );
    sim.after(500_000, 'test.curl');
    const r = await own.type(
      node(),
      "timeout 2 tcpdump -tni any 'tcp[tcpflags] & tcp-syn != 0 and tcp[tcpflags] & tcp-ack == 0 and port 40001'",
    );
    const flows = r.stdout.split('\n').map((l) => /IP (\S+) > (\S+): Flags \[(\S+)\]/.exec(l)?.slice(1).join(' '));
    expect(flows[0]).toMatch(/^10\.244\.1\.\d+\.40001 10\.96\.32\.15\.80 S$/);
    expect(flows.filter((f) => f !== undefined).at(-1)).toMatch(/\.40001 10\.244\.\d\.\d+\.8080 S$/);
    expect(r.stderr).toMatch(/\d+ packets captured\n\d+ packets received by filter\n0 packets dropped by kernel\n$/);
  });

  it.each([
    ['host', "can't parse filter expression: syntax error"],
    ['port 70000', 'illegal port number 70000 > 65535'],
    ['port nosuch', "unknown port 'nosuch'"],
    ['host no-such-host', "unknown host 'no-such-host'"],
    ['tcp[', "can't parse filter expression: syntax error"],
  ])('refuses %s', async (filter, error) => {
    expect((await t.type(node(), `tcpdump -ni any ${filter}`)).stderr).toBe(
      `tcpdump: data link type LINUX_SLL2\ntcpdump: ${error}\n`,
    );
  });

  it('takes what pcap-filter(7) has', async () => {
    for (const f of [
      'tcp port 80 or 443',
      'not (icmp or udp)',
      'src net 10.244 and dst host 10.0.0.1',
      'src or dst port http',
      'portrange 80-90',
      'icmp[icmptype] == icmp-echo',
      'greater 100 && less 1500',
      'ether host 02:00:00:00:00:01',
      'ip[8] < 5',
      'udp dst port domain',
    ]) {
      expect([
        f,
        (await t.type(node(), `timeout 0.1 tcpdump -ni any '${f}'`)).stderr.includes('listening on any'),
      ]).toEqual([f, true]);
    }
  });
});

describe('netfilter', () => {
  it('iptables changes rules, save and restore carry them', async () => {
    const own = openTerminal(SMALL);
    await own.type(node(), 'iptables -N T && iptables -A T -s 10.0.0.0/8 -p tcp --dport 80 -j DROP');
    expect(await own.out(node(), 'iptables -S T')).toBe('-N T\n-A T -s 10.0.0.0/8 -p tcp -m tcp --dport 80 -j DROP\n');
    await own.type(node(), 'iptables-save -t filter > f; iptables -F T; iptables -X T');
    expect((await own.type(node(), 'iptables -S T')).exit).toBe(1);
    expect(await own.type(node(), 'iptables-restore < f')).toMatchObject({ stderr: '', exit: 0 });
    expect(await own.out(node(), 'iptables -S T | wc -l')).toBe('2\n');
  });

  it('conntrack lists, deletes and listens', async () => {
    const own = openTerminal(SMALL);
    await own.type(pod('client'), 'curl -s --local-port 40001 http://10.96.32.15');
    expect(await own.out(node(), 'conntrack -L -p tcp --orig-port-src 40001 2>/dev/null')).toMatch(
      /dst=10\.96\.32\.15 sport=40001 dport=80/,
    );
    expect((await own.type(node(), 'conntrack -D -p tcp --orig-port-src 40001')).stderr).toMatch(
      /1 flow entries have been deleted/,
    );
    const before = own.session.cluster.ctx.sim.now;
    expect((await own.type(node(), 'timeout 2 conntrack -E -p tcp')).exit).toBe(124);
    expect(own.session.cluster.ctx.sim.now - before).toBeGreaterThanOrEqual(2_000_000);
    expect(await own.type(node(), 'conntrack -E -e FOO')).toMatchObject({ exit: 2 });
  });

  it.each([
    ['create X hash:nope', "ipset v7.17: Syntax error: typename 'hash:nope' is unknown\n", 1],
    [
      'create X',
      "ipset v7.17: Missing second mandatory argument to command create\nTry `ipset help' for more information.\n",
      2,
    ],
    ['create X hash:ip bogus 1', "ipset v7.17: Unknown argument: `bogus'\nTry `ipset help' for more information.\n", 2],
    [
      'add P 10.0.0.1,udp:99999',
      "ipset v7.17: Syntax error: '99999' is out of range 0-65535\nSyntax error: 'udp' is invalid as number\ncannot parse '99999' as a udp port\n",
      1,
    ],
    [
      'add P 10.0.0.1,80 timeout 5',
      'ipset v7.17: Timeout cannot be used: set was created without timeout support\n',
      1,
    ],
    ['add N 10.0.0.0/33', "ipset v7.17: Syntax error: '33' is out of range 0-32\n", 1],
    ['swap P N', 'ipset v7.17: The sets cannot be swapped: their type does not match\n', 1],
    ['-q add N 0.0.0.0/0', '', 1],
  ])('ipset %s', async (line, stderr, exit) => {
    const made = 'ipset create P hash:ip,port -exist; ipset create N hash:net -exist';
    await t.type(node('node-3'), made);
    expect(await t.type(node('node-3'), `ipset ${line}`)).toMatchObject({ stderr, exit });
  });

  it('ipset: networks of a range, lists, time', async () => {
    const own = openTerminal(SMALL);
    await own.type(
      node(),
      'ipset create M hash:net; ipset add M 10.0.0.1-10.0.0.7; ipset create T hash:ip timeout 10; ipset add T 10.9.9.9',
    );
    expect(await own.out(node(), 'ipset save M | tail -n +2')).toBe(
      'add M 10.0.0.1\nadd M 10.0.0.2/31\nadd M 10.0.0.4/30\n',
    );
    expect((await own.type(node(), 'ipset test M 10.0.0.5')).stderr).toBe('Warning: 10.0.0.5 is in set M.\n');
    await own.type(node(), 'sleep 11');
    expect((await own.type(node(), 'ipset test T 10.9.9.9')).stderr).toBe('10.9.9.9 is NOT in set T.\n');
    expect(
      await own.out(node(), 'ipset create L list:set; ipset add L M; ipset add L T before M; ipset list L | tail -n 2'),
    ).toBe('T\nM\n');
    expect((await own.type(node(), 'ipset destroy M')).stderr).toContain('it is in use by a kernel component');
    expect(await own.out(node(), 'ipset rename L L2; ipset list -n')).toBe('M\nT\nL2\n');
  });

  it('ipset and ipvsadm', async () => {
    const own = openTerminal(SMALL);
    expect(
      await own.type(node(), 'ipset create A hash:ip && ipset add A 10.0.0.1 && ipset test A 10.0.0.1'),
    ).toMatchObject({ exit: 0 });
    expect(await own.out(node(), 'ipset save A')).toMatch(/^create A hash:ip [^\n]*\nadd A 10\.0\.0\.1\n$/);
    expect((await own.type(node(), 'ipvsadm -Ln')).exit).toBe(2);
  });
});

describe('the system', () => {
  it('sysctl reads, writes and refuses', async () => {
    const own = openTerminal(SMALL);
    expect(await own.out(node(), 'sysctl -w net.ipv4.ip_forward=0')).toBe('net.ipv4.ip_forward = 0\n');
    expect(await own.out(node(), 'sysctl -n net.ipv4.ip_forward')).toBe('0\n');
    expect(await own.type(node(), 'sysctl net.nope')).toMatchObject({
      stderr: 'sysctl: cannot stat /proc/sys/net/nope: No such file or directory\n',
      exit: 1,
    });
    expect(await own.out(node(), 'sysctl -a | grep -c ^net.netfilter.nf_conntrack_')).toMatch(/^\d\d\n$/);
  });

  it('uname, hostname, id, date, dmesg and the module tools', async () => {
    expect(await t.out(node(), 'uname -sr; hostname; id -u; whoami')).toMatch(/^Linux 6\.18\.\d+\nnode-1\n0\nroot\n$/);
    expect(await t.out(pod('client'), 'hostname')).toBe('client\n');
    expect(await t.out(node(), 'date -u +%Y')).toMatch(/^20\d\d\n$/);
    expect((await t.type(node(), 'dmesg')).exit).toBe(0);
    expect((await t.type(node(), 'lsmod')).exit).toBe(1);
    expect((await t.type(node(), 'modprobe nope')).exit).toBe(1);
    expect((await t.type(node(), 'modinfo nope')).exit).toBe(1);
    expect((await t.type(node(), 'rmmod nope')).exit).toBe(1);
    expect((await t.type(node(), 'insmod nope.ko')).exit).toBe(1);
  });

  it('crictl lists what runs on the node', async () => {
    expect(await t.out(node(), 'crictl ps')).toMatch(
      /^CONTAINER +IMAGE +CREATED +STATE +NAME [\s\S]*\n[0-9a-f]{13} .* Running +app +0 +[0-9a-f]{13} +client +default\n/,
    );
    expect(await t.out(node('node-2'), "crictl pods | awk 'NR > 1 {print $(NF-3)}'")).toContain('web-2');
    expect(await t.type(node(), 'crictl -r unix:///run/nope.sock ps')).toMatchObject({ stdout: '', exit: 1 });
    expect(await t.type(node(), 'crictl frob')).toMatchObject({ stderr: "No help topic for 'frob'\n", exit: 3 });
  });

  it('systemctl, journalctl, service, nsenter', async () => {
    expect((await t.type(node(), 'systemctl status kubelet')).exit).not.toBe(0);
    expect((await t.type(node(), 'service nope status')).exit).not.toBe(0);
    expect((await t.type(node(), 'journalctl -u kubelet -n 1')).exit).toBe(0);
    expect((await t.type(node(), 'nsenter -t 999999 -n ip a')).exit).toBe(1);
  });

  it('cat, ls and tee are the session’s hands for the shell’s own', async () => {
    const run = (argv: readonly string[], stdin = ''): string =>
      t.session.do({ op: 'run', place: node(), argv, stdin }).stdout;
    expect(run(['cat', '/proc/sys/net/ipv4/ip_forward'])).toBe('1\n');
    expect(run(['ls', '/proc/sys/net'])).toContain('netfilter');
    expect(run(['tee', '/proc/sys/net/ipv4/ip_forward'], '1\n')).toBe('1\n');
    expect(run(['whoami'])).toBe('root\n');
  });
});

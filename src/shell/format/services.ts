/** Ports of /etc/services that a model's sockets use: number → name, by protocol. */
const TCP: Readonly<Record<number, string>> = {
  21: 'ftp',
  22: 'ssh',
  23: 'telnet',
  25: 'smtp',
  53: 'domain',
  80: 'http',
  110: 'pop3',
  111: 'sunrpc',
  143: 'imap2',
  179: 'bgp',
  389: 'ldap',
  443: 'https',
  636: 'ldaps',
  873: 'rsync',
  993: 'imaps',
  995: 'pop3s',
  2049: 'nfs',
  3128: 'icpv2',
  3306: 'mysql',
  5432: 'postgresql',
  5672: 'amqp',
  6379: 'redis',
  8080: 'http-alt',
  8443: '',
  9418: 'git',
};
const UDP: Readonly<Record<number, string>> = {
  53: 'domain',
  67: 'bootps',
  68: 'bootpc',
  69: 'tftp',
  123: 'ntp',
  161: 'snmp',
  162: 'snmp-trap',
  443: 'https',
  500: 'isakmp',
  514: 'syslog',
  4789: '',
};

export function serviceName(port: number, proto: 'tcp' | 'udp'): string | undefined {
  const name = (proto === 'tcp' ? TCP : UDP)[port];
  return name === '' ? undefined : name;
}

/** Port number of a service name, in the order in which /etc/services lists it. */
export function servicePort(name: string, proto: 'tcp' | 'udp'): number | undefined {
  const table = proto === 'tcp' ? TCP : UDP;
  const found = Object.keys(table).find((p) => name !== '' && table[Number(p)] === name);
  return found === undefined ? undefined : Number(found);
}

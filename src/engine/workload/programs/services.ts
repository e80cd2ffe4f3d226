/** Part of /etc/services (Debian netbase): what the tools print instead of numbers. */
const SERVICES: readonly (readonly [string, number, 'tcp' | 'udp' | 'both'])[] = [
  ['echo', 7, 'both'],
  ['discard', 9, 'both'],
  ['ftp-data', 20, 'tcp'],
  ['ftp', 21, 'tcp'],
  ['ssh', 22, 'tcp'],
  ['telnet', 23, 'tcp'],
  ['smtp', 25, 'tcp'],
  ['time', 37, 'both'],
  ['domain', 53, 'both'],
  ['bootps', 67, 'udp'],
  ['bootpc', 68, 'udp'],
  ['tftp', 69, 'udp'],
  ['http', 80, 'tcp'],
  ['kerberos', 88, 'both'],
  ['pop3', 110, 'tcp'],
  ['sunrpc', 111, 'both'],
  ['ntp', 123, 'udp'],
  ['imap2', 143, 'tcp'],
  ['snmp', 161, 'both'],
  ['bgp', 179, 'tcp'],
  ['ldap', 389, 'both'],
  ['https', 443, 'both'],
  ['syslog', 514, 'udp'],
  ['ldaps', 636, 'both'],
  ['domain-s', 853, 'both'],
  ['rsync', 873, 'tcp'],
  ['imaps', 993, 'tcp'],
  ['nfs', 2049, 'both'],
  ['mysql', 3306, 'tcp'],
  ['ms-wbt-server', 3389, 'tcp'],
  ['sip', 5060, 'both'],
  ['mdns', 5353, 'udp'],
  ['postgresql', 5432, 'tcp'],
  ['amqp', 5672, 'both'],
  ['x11', 6000, 'tcp'],
  ['redis', 6379, 'tcp'],
  ['http-alt', 8080, 'both'],
];

/** getservbyport(3). */
export const serviceName = (port: number, proto: 'tcp' | 'udp'): string | undefined =>
  SERVICES.find(([, p, kind]) => p === port && (kind === 'both' || kind === proto))?.[0];

/** getservbyname(3). */
export const servicePort = (name: string, proto: 'tcp' | 'udp'): number | undefined =>
  SERVICES.find(([n, , kind]) => n === name && (kind === 'both' || kind === proto))?.[1];

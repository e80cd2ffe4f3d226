/** Texts of `ipset help` (7.17): the usage, the list of types, and what each type knows. */
export const USAGE = `
Usage: ipset [options] COMMAND

Commands:
create SETNAME TYPENAME [type-specific-options]
        Create a new set
add SETNAME ENTRY
        Add entry to the named set
del SETNAME ENTRY
        Delete entry from the named set
test SETNAME ENTRY
        Test entry in the named set
destroy [SETNAME]
        Destroy a named set or all sets
list [SETNAME]
        List the entries of a named set or all sets
save [SETNAME]
        Save the named set or all sets to stdout
restore 
        Restore a saved state
flush [SETNAME]
        Flush a named set or all sets
rename FROM-SETNAME TO-SETNAME
        Rename two sets
swap FROM-SETNAME TO-SETNAME
        Swap the contect of two existing sets
help [TYPENAME]
        Print help, and settype specific help
version 
        Print version information
quit 
        Quit interactive mode

Options:
-o plain|save|xml
       Specify output mode for listing sets.
       Default value for "list" command is mode "plain"
       and for "save" command is mode "save".
-s 
        Print elements sorted (if supported by the set type).
-q 
        Suppress any notice or warning message.
-r 
        Try to resolve IP addresses in the output (slow!)
-! 
        Ignore errors when creating or adding sets or
        elements that do exist or when deleting elements
        that don't exist.
-n 
        When listing, just list setnames from the kernel.

-t 
        When listing, list setnames and set headers
        from kernel only.
-f 
        Read from the given file instead of standard
        input (restore) or write to given file instead
        of standard output (list/save).

`;

export const TYPES = `Supported set types:
    list:set		3	skbinfo support
    list:set		2	comment support
    list:set		1	counters support
    list:set		0	Initial revision
    hash:mac		1	bucketsize, initval support
    hash:mac		0	Initial revision
    hash:ip,mac		1	bucketsize, initval support
    hash:ip,mac		0	Initial revision
    hash:net,iface	8	bucketsize, initval support
    hash:net,iface	7	skbinfo and wildcard support
    hash:net,iface	6	skbinfo support
    hash:net,iface	5	forceadd support
    hash:net,iface	4	comment support
    hash:net,iface	3	counters support
    hash:net,iface	2	/0 network support
    hash:net,iface	1	nomatch flag support
    hash:net,iface	0	Initial revision
    hash:net,port	8	bucketsize, initval support
    hash:net,port	7	skbinfo support
    hash:net,port	6	forceadd support
    hash:net,port	5	comment support
    hash:net,port	4	counters support
    hash:net,port	3	nomatch flag support
    hash:net,port	2	Add/del range support
    hash:net,port	1	SCTP and UDPLITE support
    hash:net,port,net	3	bucketsize, initval support
    hash:net,port,net	2	skbinfo support
    hash:net,port,net	1	forceadd support
    hash:net,port,net	0	initial revision
    hash:net,net	4	netmask and bitmask support
    hash:net,net	3	bucketsize, initval support
    hash:net,net	2	skbinfo support
    hash:net,net	1	forceadd support
    hash:net,net	0	initial revision
    hash:net		7	bucketsize, initval support
    hash:net		6	skbinfo support
    hash:net		5	forceadd support
    hash:net		4	comment support
    hash:net		3	counters support
    hash:net		2	nomatch flag support
    hash:net		1	Add/del range support
    hash:net		0	Initial revision
    hash:ip,port,net	8	bucketsize, initval support
    hash:ip,port,net	7	skbinfo support
    hash:ip,port,net	6	forceadd support
    hash:ip,port,net	5	comment support
    hash:ip,port,net	4	counters support
    hash:ip,port,net	3	nomatch flag support
    hash:ip,port,net	2	Add/del range support
    hash:ip,port,net	1	SCTP and UDPLITE support
    hash:ip,port,ip	6	bucketsize, initval support
    hash:ip,port,ip	5	skbinfo support
    hash:ip,port,ip	4	forceadd support
    hash:ip,port,ip	3	comment support
    hash:ip,port,ip	2	counters support
    hash:ip,port,ip	1	SCTP and UDPLITE support
    hash:ip,mark	3	bucketsize, initval support
    hash:ip,mark	2	skbinfo support
    hash:ip,mark	1	forceadd support
    hash:ip,mark	0	initial revision
    hash:ip,port	7	netmask and bitmask support
    hash:ip,port	6	bucketsize, initval support
    hash:ip,port	5	skbinfo support
    hash:ip,port	4	forceadd support
    hash:ip,port	3	comment support
    hash:ip,port	2	counters support
    hash:ip,port	1	SCTP and UDPLITE support
    hash:ip		6	bitmask support
    hash:ip		5	bucketsize, initval support
    hash:ip		4	skbinfo support
    hash:ip		3	forceadd support
    hash:ip		2	comment support
    hash:ip		1	counters support
    hash:ip		0	Initial revision
    bitmap:port		3	skbinfo support
    bitmap:port		2	comment support
    bitmap:port		1	counters support
    bitmap:port		0	Initial revision
    bitmap:ip,mac	3	skbinfo support
    bitmap:ip,mac	2	comment support
    bitmap:ip,mac	1	counters support
    bitmap:ip,mac	0	Initial revision
    bitmap:ip		3	skbinfo support
    bitmap:ip		2	comment support
    bitmap:ip		1	counters support
    bitmap:ip		0	Initial revision
`;

/** What all types with ports say of them. */
const PORTS = `      [PROTO:]PORT is a valid pattern of the following:
           PORTNAME         TCP port name from /etc/services
           PORTNUMBER       TCP port number identifier
           tcp|sctp|udp|udplite:PORTNAME|PORTNUMBER
           icmp:CODENAME    supported ICMP codename
           icmp:TYPE/CODE   ICMP type/code value
           icmpv6:CODENAME  supported ICMPv6 codename
           icmpv6:TYPE/CODE ICMPv6 type/code value
           PROTO:0          all other protocols

           Supported ICMP codenames:
               echo-reply
               pong
               network-unreachable
               host-unreachable
               protocol-unreachable
               port-unreachable
               fragmentation-needed
               source-route-failed
               network-unknown
               host-unknown
               network-prohibited
               host-prohibited
               TOS-network-unreachable
               TOS-host-unreachable
               communication-prohibited
               host-precedence-violation
               precedence-cutoff
               source-quench
               network-redirect
               host-redirect
               TOS-network-redirect
               TOS-host-redirect
               echo-request
               ping
               router-advertisement
               router-solicitation
               ttl-zero-during-transit
               ttl-zero-during-reassembly
               ip-header-bad
               required-option-missing
               timestamp-request
               timestamp-reply
               address-mask-request
               address-mask-reply
           Supported ICMPv6 codenames:
               no-route
               communication-prohibited
               address-unreachable
               port-unreachable
               packet-too-big
               ttl-zero-during-transit
               ttl-zero-during-reassembly
               bad-header
               unknown-header-type
               unknown-option
               echo-request
               ping
               echo-reply
               pong
               router-solicitation
               router-advertisement
               neighbour-solicitation
               neigbour-solicitation
               neighbour-advertisement
               neigbour-advertisement
               redirect
`;

export const TYPE_HELP: Readonly<Record<string, string>> = {
  'hash:ip': `hash:ip type specific options:

create SETNAME hash:ip 
               [family inet|inet6]|[-4|-6]
               [hashsize VALUE]
               [maxelem VALUE]
               [netmask CIDR]
               [bitmask bitmask]
               [timeout VALUE]
               [counters]
               [comment]
               [forceadd]
               [skbinfo]
               [bucketsize VALUE]
               [initval VALUE]
add    SETNAME hash:ip IP
               [timeout VALUE]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME hash:ip IP
test   SETNAME hash:ip IP

where depending on the INET family
      IP is a valid IPv4 or IPv6 address (or hostname),
      CIDR is a valid IPv4 or IPv6 CIDR prefix.
      Adding/deleting multiple elements in IP/CIDR or FROM-TO form
      is supported for IPv4.

Type hash:ip supports inet and inet6.
`,
  'hash:net': `hash:net type specific options:

create SETNAME hash:net 
               [family inet|inet6]|[-4|-6]
               [hashsize VALUE]
               [maxelem VALUE]
               [timeout VALUE]
               [counters]
               [comment]
               [forceadd]
               [skbinfo]
               [bucketsize VALUE]
               [initval VALUE]
add    SETNAME hash:net IP[/CIDR]
               [timeout VALUE]
               [nomatch]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME hash:net IP[/CIDR]
test   SETNAME hash:net IP[/CIDR]
               [nomatch]

where depending on the INET family
      IP is an IPv4 or IPv6 address (or hostname),
      CIDR is a valid IPv4 or IPv6 CIDR prefix.

Type hash:net supports inet and inet6.
`,
  'hash:ip,port': `hash:ip,port type specific options:

create SETNAME hash:ip,port 
               [family inet|inet6]|[-4|-6]
               [hashsize VALUE]
               [maxelem VALUE]
               [timeout VALUE]
               [counters]
               [comment]
               [forceadd]
               [skbinfo]
               [bucketsize VALUE]
               [initval VALUE]
               [netmask CIDR]
               [bitmask bitmask]
add    SETNAME hash:ip,port IP,[PROTO:]PORT
               [timeout VALUE]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME hash:ip,port IP,[PROTO:]PORT
test   SETNAME hash:ip,port IP,[PROTO:]PORT

where depending on the INET family
      IP is a valid IPv4 or IPv6 address (or hostname).
      Adding/deleting multiple elements in IP/CIDR or FROM-TO form
      is supported for IPv4.
      Adding/deleting multiple elements with TCP/SCTP/UDP/UDPLITE
      port range is supported both for IPv4 and IPv6.
${PORTS}
Type hash:ip,port supports inet and inet6.
`,
  'hash:ip,port,ip': `hash:ip,port,ip type specific options:

create SETNAME hash:ip,port,ip 
               [family inet|inet6]|[-4|-6]
               [hashsize VALUE]
               [maxelem VALUE]
               [timeout VALUE]
               [counters]
               [comment]
               [forceadd]
               [skbinfo]
               [bucketsize VALUE]
               [initval VALUE]
add    SETNAME hash:ip,port,ip IP,[PROTO:]PORT,IP
               [timeout VALUE]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME hash:ip,port,ip IP,[PROTO:]PORT,IP
test   SETNAME hash:ip,port,ip IP,[PROTO:]PORT,IP

where depending on the INET family
      IP is a valid IPv4 or IPv6 address (or hostname).
      Adding/deleting multiple elements in IP/CIDR or FROM-TO form
      in the first IP component is supported for IPv4.
      Adding/deleting multiple elements with TCP/SCTP/UDP/UDPLITE
      port range is supported both for IPv4 and IPv6.
${PORTS}
Type hash:ip,port,ip supports inet and inet6.
`,
  'hash:ip,port,net': `hash:ip,port,net type specific options:

create SETNAME hash:ip,port,net 
               [family inet|inet6]|[-4|-6]
               [hashsize VALUE]
               [maxelem VALUE]
               [timeout VALUE]
               [counters]
               [comment]
               [forceadd]
               [skbinfo]
               [bucketsize VALUE]
               [initval VALUE]
add    SETNAME hash:ip,port,net IP,[PROTO:]PORT,IP[/CIDR]
               [timeout VALUE]
               [nomatch]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME hash:ip,port,net IP,[PROTO:]PORT,IP[/CIDR]
test   SETNAME hash:ip,port,net IP,[PROTO:]PORT,IP[/CIDR]
               [nomatch]

where depending on the INET family
      IP are valid IPv4 or IPv6 addresses (or hostnames),
      CIDR is a valid IPv4 or IPv6 CIDR prefix.
      Adding/deleting multiple elements in IP/CIDR or FROM-TO form
      in the first IP component is supported for IPv4.
      Adding/deleting multiple elements with TCP/SCTP/UDP/UDPLITE
      port range is supported both for IPv4 and IPv6.
${PORTS}
Type hash:ip,port,net supports inet and inet6.
`,
  'hash:net,port': `hash:net,port type specific options:

create SETNAME hash:net,port 
               [family inet|inet6]|[-4|-6]
               [hashsize VALUE]
               [maxelem VALUE]
               [timeout VALUE]
               [counters]
               [comment]
               [forceadd]
               [skbinfo]
               [bucketsize VALUE]
               [initval VALUE]
add    SETNAME hash:net,port IP[/CIDR]|FROM-TO,[PROTO:]PORT
               [timeout VALUE]
               [nomatch]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME hash:net,port IP[/CIDR]|FROM-TO,[PROTO:]PORT
test   SETNAME hash:net,port IP[/CIDR],[PROTO:]PORT
               [nomatch]

where depending on the INET family
      IP is a valid IPv4 or IPv6 address (or hostname),
      CIDR is a valid IPv4 or IPv6 CIDR prefix.
      Adding/deleting multiple elements with TCP/SCTP/UDP/UDPLITE
      port range is supported both for IPv4 and IPv6.
${PORTS}
Type hash:net,port supports inet and inet6.
`,
  'bitmap:ip': `bitmap:ip type specific options:

create SETNAME bitmap:ip range IP/CIDR|FROM-TO
               [netmask CIDR]
               [timeout VALUE]
               [counters]
               [comment]
               [skbinfo]
add    SETNAME bitmap:ip IP|IP/CIDR|FROM-TO
               [timeout VALUE]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME bitmap:ip IP|IP/CIDR|FROM-TO
test   SETNAME bitmap:ip IP

where IP, FROM and TO are IPv4 addresses (or hostnames),
      CIDR is a valid IPv4 CIDR prefix.

Type bitmap:ip supports family inet only.
`,
  'bitmap:port': `bitmap:port type specific options:

create SETNAME bitmap:port range [PROTO:]FROM-TO
               [timeout VALUE]
               [counters]
               [comment]
               [skbinfo]
add    SETNAME bitmap:port [PROTO:]PORT|FROM-TO
               [timeout VALUE]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME bitmap:port [PROTO:]PORT|FROM-TO
test   SETNAME bitmap:port [PROTO:]PORT

where PORT, FROM and TO are port numbers or port names from /etc/services.
      PROTO is only needed if a service name is used and it does not exist
      as a TCP service; just the resolved service numer is stored in the set.

Type bitmap:port is family neutral.
`,
  'list:set': `list:set type specific options:

create SETNAME list:set 
               [size VALUE]
               [timeout VALUE]
               [counters]
               [comment]
               [skbinfo]
add    SETNAME list:set NAME [before|after NAME]
               [timeout VALUE]
               [before|after NAME]
               [packets VALUE]
               [bytes VALUE]
               [comment "string"]
               [skbmark VALUE]
               [skbprio VALUE]
               [skbqueue VALUE]
del    SETNAME list:set NAME [before|after NAME]
               [before|after NAME]
test   SETNAME list:set NAME [before|after NAME]
               [before|after NAME]

where NAME are existing set names.

Type list:set is family neutral.
`,
};

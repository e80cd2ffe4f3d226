/** Texts of `iptables --help` (1.8.9), without the line of the version. */
export const USAGE = `
Usage: iptables -[ACD] chain rule-specification [options]
       iptables -I chain [rulenum] rule-specification [options]
       iptables -R chain rulenum rule-specification [options]
       iptables -D chain rulenum [options]
       iptables -[LS] [chain [rulenum]] [options]
       iptables -[FZ] [chain] [options]
       iptables -[NX] chain
       iptables -E old-chain-name new-chain-name
       iptables -P chain target [options]
       iptables -h (print this help information)

Commands:
Either long or short options are allowed.
  --append  -A chain		Append to chain
  --check   -C chain		Check for the existence of a rule
  --delete  -D chain		Delete matching rule from chain
  --delete  -D chain rulenum
				Delete rule rulenum (1 = first) from chain
  --insert  -I chain [rulenum]
				Insert in chain as rulenum (default 1=first)
  --replace -R chain rulenum
				Replace rule rulenum (1 = first) in chain
  --list    -L [chain [rulenum]]
				List the rules in a chain or all chains
  --list-rules -S [chain [rulenum]]
				Print the rules in a chain or all chains
  --flush   -F [chain]		Delete all rules in  chain or all chains
  --zero    -Z [chain [rulenum]]
				Zero counters in chain or all chains
  --new     -N chain		Create a new user-defined chain
  --delete-chain
            -X [chain]		Delete a user-defined chain
  --policy  -P chain target
				Change policy on chain to target
  --rename-chain
            -E old-chain new-chain
				Change chain name, (moving any references)

Options:
    --ipv4	-4		Nothing (line is ignored by ip6tables-restore)
    --ipv6	-6		Error (line is ignored by iptables-restore)
[!] --protocol	-p proto	protocol: by number or name, eg. \`tcp'
[!] --source	-s address[/mask][...]
				source specification
[!] --destination -d address[/mask][...]
				destination specification
[!] --in-interface -i input name[+]
				network interface name ([+] for wildcard)
 --jump	-j target
				target for rule (may load target extension)
  --goto      -g chain
			       jump to chain with no return
  --match	-m match
				extended match (may load extension)
  --numeric	-n		numeric output of addresses and ports
[!] --out-interface -o output name[+]
				network interface name ([+] for wildcard)
  --table	-t table	table to manipulate (default: \`filter')
  --verbose	-v		verbose mode
  --wait	-w [seconds]	maximum wait to acquire xtables lock before give up
  --line-numbers		print line numbers when listing
  --exact	-x		expand numbers (display exact values)
[!] --fragment	-f		match second or further fragments only
  --modprobe=<command>		try to insert modules using this command
  --set-counters -c PKTS BYTES	set the counter during insert/append
[!] --version	-V		print package version.
`;

/** What `-m NAME --help` adds. */
export const MATCH_HELP: Readonly<Record<string, string>> = {
  addrtype: `
Address type match options:
 [!] --src-type type[,...]      Match source address type
 [!] --dst-type type[,...]      Match destination address type
     --limit-iface-in           Match only on the packet's incoming device
     --limit-iface-out          Match only on the packet's outgoing device

Valid types:           
                                UNSPEC
                                UNICAST
                                LOCAL
                                BROADCAST
                                ANYCAST
                                MULTICAST
                                BLACKHOLE
                                UNREACHABLE
                                PROHIBIT
                                THROW
                                NAT
                                XRESOLVE
`,
  comment: `
comment match options:
--comment COMMENT             Attach a comment to a rule
`,
  connbytes: `
connbytes match options:
 [!] --connbytes from:[to]
     --connbytes-dir [original, reply, both]
     --connbytes-mode [packets, bytes, avgpkt]
`,
  connlimit: `
connlimit match options:
  --connlimit-upto n     match if the number of existing connections is 0..n
  --connlimit-above n    match if the number of existing connections is >n
  --connlimit-mask n     group hosts using prefix length (default: max len)
  --connlimit-saddr      select source address for grouping
  --connlimit-daddr      select destination addresses for grouping
`,
  connmark: `
connmark match options:
[!] --mark value[/mask]    Match ctmark value with optional mask
`,
  conntrack: `
conntrack match options:
[!] --ctstate {INVALID|ESTABLISHED|NEW|RELATED|UNTRACKED|SNAT|DNAT}[,...]
                               State(s) to match
[!] --ctproto proto            Protocol to match; by number or name, e.g. "tcp"
[!] --ctorigsrc address[/mask]
[!] --ctorigdst address[/mask]
[!] --ctreplsrc address[/mask]
[!] --ctrepldst address[/mask]
                               Original/Reply source/destination address
[!] --ctorigsrcport port
[!] --ctorigdstport port
[!] --ctreplsrcport port
[!] --ctrepldstport port
                               TCP/UDP/SCTP orig./reply source/destination port
[!] --ctstatus {NONE|EXPECTED|SEEN_REPLY|ASSURED|CONFIRMED}[,...]
                               Status(es) to match
[!] --ctexpire time[:time]     Match remaining lifetime in seconds against
                               value or range of values (inclusive)
    --ctdir {ORIGINAL|REPLY}   Flow direction of packet
`,
  dscp: `
dscp match options
[!] --dscp value		Match DSCP codepoint with numerical value
  		                This value can be in decimal (ex: 32)
               		or in hex (ex: 0x20)
[!] --dscp-class name		Match the DiffServ class. This value may
				be any of the BE,EF, AFxx or CSx classes

				These two options are mutually exclusive !
`,
  ecn: `
ECN match options
[!] --ecn-tcp-cwr 		Match CWR bit of TCP header
[!] --ecn-tcp-ece		Match ECE bit of TCP header
[!] --ecn-ip-ect [0..3]	Match ECN codepoint in IPv4/IPv6 header
`,
  hashlimit: `
hashlimit match options:
  --hashlimit-upto <avg>           max average match rate
                                   [Packets per second unless followed by 
                                   /sec /minute /hour /day postfixes]
  --hashlimit-above <avg>          min average match rate
  --hashlimit-mode <mode>          mode is a comma-separated list of
                                   dstip,srcip,dstport,srcport (or none)
  --hashlimit-srcmask <length>     source address grouping prefix length
  --hashlimit-dstmask <length>     destination address grouping prefix length
  --hashlimit-name <name>          name for /proc/net/ipt_hashlimit
  --hashlimit-burst <num>	    number to match in a burst, default 5
  --hashlimit-htable-size <num>    number of hashtable buckets
  --hashlimit-htable-max <num>     number of hashtable entries
  --hashlimit-htable-gcinterval    interval between garbage collection runs
  --hashlimit-htable-expire        after which time are idle entries expired?
  --hashlimit-rate-match           rate match the flow without rate-limiting it
  --hashlimit-rate-interval        interval in seconds for hashlimit-rate-match

`,
  icmp: `
icmp match options:
[!] --icmp-type typename	match icmp type
[!] --icmp-type type[/code]	(or numeric type or type/code)
Valid ICMP Types:
any
echo-reply (pong)
destination-unreachable
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
redirect
   network-redirect
   host-redirect
   TOS-network-redirect
   TOS-host-redirect
echo-request (ping)
router-advertisement
router-solicitation
time-exceeded (ttl-exceeded)
   ttl-zero-during-transit
   ttl-zero-during-reassembly
parameter-problem
   ip-header-bad
   required-option-missing
timestamp-request
timestamp-reply
address-mask-request
address-mask-reply
`,
  iprange: `
iprange match options:
[!] --src-range ip[-ip]    Match source IP in the specified range
[!] --dst-range ip[-ip]    Match destination IP in the specified range
`,
  length: `
length match options:
[!] --length length[:length]    Match packet length against value or range
                                of values (inclusive)
`,
  limit: `
limit match options:
--limit avg			max average match rate: default 3/hour
                                [Packets per second unless followed by 
                                /sec /minute /hour /day postfixes]
--limit-burst number		number to match in a burst, default 5
`,
  mac: `
mac match options:
[!] --mac-source XX:XX:XX:XX:XX:XX
				Match source MAC address
`,
  mark: `
mark match options:
[!] --mark value[/mask]    Match nfmark value with optional mask
`,
  multiport: `
multiport match options:
[!] --source-ports port[,port:port,port...]
 --sports ...
				match source port(s)
[!] --destination-ports port[,port:port,port...]
 --dports ...
				match destination port(s)
[!] --ports port[,port:port,port]
				match both source and destination port(s)
`,
  nfacct: `
nfacct match options:
 --nfacct-name STRING		Name of accouting area
`,
  owner: `
owner match options:
[!] --uid-owner userid[-userid]      Match local UID
[!] --gid-owner groupid[-groupid]    Match local GID
[!] --socket-exists                  Match if socket exists
    --suppl-groups                   Also match supplementary groups set with --gid-owner
`,
  physdev: `
physdev match options:
 [!] --physdev-in inputname[+]		bridge port name ([+] for wildcard)
 [!] --physdev-out outputname[+]	bridge port name ([+] for wildcard)
 [!] --physdev-is-in			arrived on a bridge device
 [!] --physdev-is-out			will leave on a bridge device
 [!] --physdev-is-bridged		it's a bridged packet
`,
  pkttype: `
pkttype match options:
[!] --pkt-type packettype    match packet type
Valid packet types:
	unicast       		to us
	broadcast     		to all
	multicast     		to group
	otherhost     		to someone else

`,
  quota: `
quota match options:
[!] --quota quota		quota (bytes)
`,
  recent: `
recent match options:
[!] --set                       Add source address to list, always matches.
[!] --rcheck                    Match if source address in list.
[!] --update                    Match if source address in list, also update last-seen time.
[!] --remove                    Match if source address in list, also removes that address from list.
    --seconds seconds           For check and update commands above.
                                Specifies that the match will only occur if source address last seen within
                                the last 'seconds' seconds.
    --reap                      Purge entries older then 'seconds'.
                                Can only be used in conjunction with the seconds option.
    --hitcount hits             For check and update commands above.
                                Specifies that the match will only occur if source address seen hits times.
                                May be used in conjunction with the seconds option.
    --rttl                      For check and update commands above.
                                Specifies that the match will only occur if the source address and the TTL
                                match between this packet and the one which was set.
                                Useful if you have problems with people spoofing their source address in order
                                to DoS you via this module.
    --name name                 Name of the recent list to be used.  DEFAULT used if none given.
    --rsource                   Match/Save the source address of each packet in the recent list table (default).
    --rdest                     Match/Save the destination address of each packet in the recent list table.
    --mask netmask              Netmask that will be applied to this recent list.
xt_recent by: Stephen Frost <sfrost@snowman.net>.
`,
  rpfilter: `
rpfilter match options:
    --loose          permit reverse path via any interface
    --validmark      use skb nfmark when performing route lookup
    --accept-local   do not reject packets with a local source address
    --invert         match packets that failed the reverse path test
`,
  sctp: `
sctp match options
[!] --source-port port[:port]                          match source port(s)
 --sport ...
[!] --destination-port port[:port]                     match destination port(s)
 --dport ...
[!] --chunk-types (all|any|none) (chunktype[:flags])+	match if all, any or none of
						        chunktypes are present
chunktypes - DATA INIT INIT_ACK SACK HEARTBEAT HEARTBEAT_ACK ABORT SHUTDOWN SHUTDOWN_ACK ERROR COOKIE_ECHO COOKIE_ACK ECN_ECNE ECN_CWR SHUTDOWN_COMPLETE ASCONF ASCONF_ACK FORWARD_TSN ALL NONE
`,
  set: `
set match options:
 [!] --match-set name flags [--return-nomatch]
   [! --update-counters] [! --update-subcounters]
   [[!] --packets-eq value | --packets-lt value | --packets-gt value
   [[!] --bytes-eq value | --bytes-lt value | --bytes-gt value
		 'name' is the set name from to match,
		 'flags' are the comma separated list of
		 'src' and 'dst' specifications.
`,
  socket: `
socket match options:
  --nowildcard     Do not ignore LISTEN sockets bound on INADDR_ANY
  --transparent    Ignore non-transparent sockets
  --restore-skmark Set the packet mark to the socket mark if
                   the socket matches and transparent / 
                   nowildcard conditions are satisfied

`,
  state: `
state match options:
 [!] --state [INVALID|ESTABLISHED|NEW|RELATED|UNTRACKED][,...]
				State(s) to match
`,
  statistic: `
statistic match options:
 --mode mode                    Match mode (random, nth)
 random mode:
[!] --probability p		 Probability
 nth mode:
[!] --every n			 Match every nth packet
 --packet p			 Initial counter value (0 <= p <= n-1, default 0)
`,
  tcp: `
tcp match options:
[!] --tcp-flags mask comp	match when TCP flags & mask == comp
				(Flags: SYN ACK FIN RST URG PSH ALL NONE)
[!] --syn			match when only SYN flag set
				(equivalent to --tcp-flags SYN,RST,ACK,FIN SYN)
[!] --source-port port[:port]
 --sport ...
				match source port(s)
[!] --destination-port port[:port]
 --dport ...
				match destination port(s)
[!] --tcp-option number        match if TCP option set
`,
  tcpmss: `
tcpmss match options:
[!] --mss value[:value]	Match TCP MSS range.
				(only valid for TCP SYN or SYN/ACK packets)
`,
  time: `
time match options:
    --datestart time     Start and stop time, to be given in ISO 8601
    --datestop time      (YYYY[-MM[-DD[Thh[:mm[:ss]]]]])
    --timestart time     Start and stop daytime (hh:mm[:ss])
    --timestop time      (between 00:00:00 and 23:59:59)
[!] --monthdays value    List of days on which to match, separated by comma
                         (Possible days: 1 to 31; defaults to all)
[!] --weekdays value     List of weekdays on which to match, sep. by comma
                         (Possible days: Mon,Tue,Wed,Thu,Fri,Sat,Sun or 1 to 7
                         Defaults to all weekdays.)
    --kerneltz           Work with the kernel timezone instead of UTC
`,
  ttl: `
ttl match options:
[!] --ttl-eq value	Match time to live value
  --ttl-lt value	Match TTL < value
  --ttl-gt value	Match TTL > value
`,
  udp: `
udp match options:
[!] --source-port port[:port]
 --sport ...
				match source port(s)
[!] --destination-port port[:port]
 --dport ...
				match destination port(s)
`,
};

/** What `-j NAME --help` adds. */
export const TARGET_HELP: Readonly<Record<string, string>> = {
  AUDIT: `
AUDIT target options
  --type TYPE		Action type to be recorded.
`,
  CONNMARK: `
CONNMARK target options:
  --set-xmark value[/ctmask]    Zero mask bits and XOR ctmark with value
  --save-mark [--ctmask mask] [--nfmask mask]
                                Copy ctmark to nfmark using masks
  --restore-mark [--ctmask mask] [--nfmask mask]
                                Copy nfmark to ctmark using masks
  --set-mark value[/mask]       Set conntrack mark value
  --save-mark [--mask mask]     Save the packet nfmark in the connection
  --restore-mark [--mask mask]  Restore saved nfmark value
  --and-mark value              Binary AND the ctmark with bits
  --or-mark value               Binary OR  the ctmark with bits
  --xor-mark value              Binary XOR the ctmark with bits
  --left-shift-mark value       Left shift the ctmark with bits
  --right-shift-mark value      Right shift the ctmark with bits
`,
  CT: `
CT target options:
 --notrack			Don't track connection
 --helper name			Use conntrack helper 'name' for connection
 --timeout name 		Use timeout policy 'name' for connection
 --ctevents event[,event...]	Generate specified conntrack events for connection
 --expevents event[,event...]	Generate specified expectation events for connection
 --zone {ID|mark}		Assign/Lookup connection in zone ID/packet nfmark
 --zone-orig {ID|mark}		Same as 'zone' option, but only applies to ORIGINAL direction
 --zone-reply {ID|mark} 	Same as 'zone' option, but only applies to REPLY direction
`,
  NOTRACK: `
NOTRACK does not take any options
`,
  DNAT: `
DNAT target options:
 --to-destination [<ipaddr>[-<ipaddr>]][:port[-port[/port]]]
				Address to map destination to.
[--random] [--persistent]
`,
  DSCP: `
DSCP target options
  --set-dscp value		Set DSCP field in packet header to value
  		                This value can be in decimal (ex: 32)
               		or in hex (ex: 0x20)
  --set-dscp-class class	Set the DSCP field in packet header to the
				value represented by the DiffServ class value.
				This class may be EF,BE or any of the CSxx
				or AFxx classes.

				These two options are mutually exclusive !
`,
  LOG: `
LOG target options:
 --log-level level		Level of logging (numeric or see syslog.conf)
 --log-prefix prefix		Prefix log messages with this prefix.
 --log-tcp-sequence		Log TCP sequence numbers.
 --log-tcp-options		Log TCP options.
 --log-ip-options		Log IP options.
 --log-uid			Log UID owning the local socket.
 --log-macdecode		Decode MAC addresses and protocol.
`,
  MARK: `
MARK target options:
  --set-xmark value[/mask]  Clear bits in mask and XOR value into nfmark
  --set-mark value[/mask]   Clear bits in mask and OR value into nfmark
  --and-mark bits           Binary AND the nfmark with bits
  --or-mark bits            Binary OR the nfmark with bits
  --xor-mark bits           Binary XOR the nfmark with bits
`,
  MASQUERADE: `
MASQUERADE target options:
 --to-ports <port>[-<port>]
				Port (range) to map to.
 --random
				Randomize source port.
 --random-fully
				Fully randomize source port.
`,
  NETMAP: `
NETMAP target options:
  --to address[/mask]
				Network address to map to.

`,
  NFLOG: `
NFLOG target options:
 --nflog-group NUM		NETLINK group used for logging
 --nflog-range NUM		This option has no effect, use --nflog-size
 --nflog-size NUM		Number of bytes to copy
 --nflog-threshold NUM		Message threshold of in-kernel queue
 --nflog-prefix STRING		Prefix string for log messages
`,
  NFQUEUE: `
NFQUEUE target options
  --queue-num value            Send packet to QUEUE number <value>.
                               Valid queue numbers are 0-65535
  --queue-balance first:last   Balance flows between queues <value> to <value>.
  --queue-bypass               Bypass Queueing if no queue instance exists.
  --queue-cpu-fanout	Use current CPU (no hashing)
`,
  REDIRECT: `
REDIRECT target options:
 --to-ports <port>[-<port>]
				Port (range) to map to.
 [--random]
`,
  REJECT: `
REJECT target options:
--reject-with type              drop input packet and send back
                                a reply packet according to type:
Valid reject types:
    icmp-net-unreachable     	ICMP network unreachable
    net-unreach              	alias
    icmp-host-unreachable    	ICMP host unreachable
    host-unreach             	alias
    icmp-proto-unreachable   	ICMP protocol unreachable
    proto-unreach            	alias
    icmp-port-unreachable    	ICMP port unreachable (default)
    port-unreach             	alias
    icmp-net-prohibited      	ICMP network prohibited
    net-prohib               	alias
    icmp-host-prohibited     	ICMP host prohibited
    host-prohib              	alias
    tcp-reset                	TCP RST packet
    tcp-rst                  	alias
    icmp-admin-prohibited    	ICMP administratively prohibited (*)
    admin-prohib             	alias

(*) See man page or read the INCOMPATIBILITES file for compatibility issues.
`,
  SET: `
SET target options:
 --add-set name flags [--exist] [--timeout n]
 --del-set name flags
 --map-set name flags [--map-mark] [--map-prio] [--map-queue]
		add/del src/dst IP/port from/to named sets,
		where flags are the comma separated list of
		'src' and 'dst' specifications.
`,
  SNAT: `
SNAT target options:
 --to-source [<ipaddr>[-<ipaddr>]][:port[-port]]
				Address to map source to.
[--random] [--random-fully] [--persistent]
`,
  TCPMSS: `
TCPMSS target mutually-exclusive options:
  --set-mss value               explicitly set MSS option to specified value
  --clamp-mss-to-pmtu           automatically clamp MSS value to (path_MTU - 20)
`,
  TRACE: `
TRACE does not take any options
`,
  TTL: `
TTL target options
  --ttl-set value		Set TTL to <value 0-255>
  --ttl-dec value		Decrement TTL by <value 1-255>
  --ttl-inc value		Increment TTL by <value 1-255>
`,
};

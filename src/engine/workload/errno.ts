/** strerror(3) of glibc. */
const TEXT: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EADDRINUSE: 'Address already in use',
  EADDRNOTAVAIL: 'Cannot assign requested address',
  EAGAIN: 'Resource temporarily unavailable',
  ECONNABORTED: 'Software caused connection abort',
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by peer',
  EHOSTDOWN: 'Host is down',
  EHOSTUNREACH: 'No route to host',
  EINPROGRESS: 'Operation now in progress',
  EINVAL: 'Invalid argument',
  EMSGSIZE: 'Message too long',
  ENETDOWN: 'Network is down',
  ENETUNREACH: 'Network is unreachable',
  ENODEV: 'No such device',
  ENONET: 'Machine is not on the network',
  ENOPROTOOPT: 'Protocol not available',
  ENOTCONN: 'Transport endpoint is not connected',
  EPERM: 'Operation not permitted',
  EPIPE: 'Broken pipe',
  EPROTO: 'Protocol error',
  ETIMEDOUT: 'Connection timed out',
};

export const strerror = (errno: string): string => TEXT[errno] ?? errno;

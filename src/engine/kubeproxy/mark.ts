/** A mark bit as kube-proxy writes it: `0x00004000`. */
export const markHex = (bit: number): string => `0x${((1 << bit) >>> 0).toString(16).padStart(8, '0')}`;

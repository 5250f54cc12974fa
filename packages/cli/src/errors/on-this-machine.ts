const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|[^/:]+\.localhost)(:|\/|$)/i

/** Whether a host, with or without a port, always means this machine. */
export function isLocalHost(host: string): boolean {
  return local.test(host)
}

export function isOnThisMachine(server: string): boolean {
  return isLocalHost(new URL(server).host)
}

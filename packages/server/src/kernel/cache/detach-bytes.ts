/** Copies bytes that are kept for long, because a few of node's shared pool keep all 64 KiB of it alive. */
export function detachBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

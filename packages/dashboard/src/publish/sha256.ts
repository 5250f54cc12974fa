/** Browsers hash on HTTPS and on localhost only. */
export function canHash(): boolean {
  return globalThis.crypto?.subtle !== undefined
}

/** SHA-256 in lower-case hex. */
export async function sha256(content: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', content)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

import { z } from 'zod'

const longest = 2000

/** An address that we would speak to: HTTPS on any host, plain HTTP on this machine alone. */
export function isAcmeUrl(text: string): boolean {
  const url = text.length <= longest ? URL.parse(text) : null
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export const acmeUrl = z.string().refine(isAcmeUrl, 'must be an https address')

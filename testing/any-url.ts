/** Like `webUrl` and `webPath` of fast-check, which list all of Unicode first: a second per process. */

import fc from 'fast-check'
import { anyCharacter } from './any-character.ts'

const unescaped = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@"
const segment = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...unescaped) },
    { weight: 1, arbitrary: anyCharacter.map(escaped) },
  ),
})

function escaped(character: string): string {
  const encoded = encodeURIComponent(character)
  return encoded === character ? `%${character.charCodeAt(0).toString(16)}` : encoded
}

export const anyPath = fc.array(segment).map((segments) => segments.map((one) => `/${one}`).join(''))

export const anyUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), anyPath)
  .map(([scheme, authority, path]) => `${scheme}://${authority}${path}`)

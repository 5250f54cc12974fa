const base = 36
const tMin = 1
const tMax = 26

/** Decodes punycode. Browsers can encode hostnames, but not decode them. */
export function unicodeHostname(hostname: string): string {
  return hostname
    .split('.')
    .map((label) => (label.startsWith('xn--') ? (decode(label.slice(4)) ?? label) : label))
    .join('.')
}

/** Punycode, RFC 3492 section 6.2. Null if malformed. */
function decode(encoded: string): string | null {
  if (encoded === '') return null
  const delimiter = encoded.lastIndexOf('-')
  const output = [...encoded.slice(0, Math.max(delimiter, 0))]
  let codePoint = 128
  let position = 0
  let bias = 72
  for (let at = delimiter + 1; at < encoded.length; ) {
    const before = position
    let weight = 1
    for (let k = base; ; k += base) {
      const digit = digitOf(encoded[at++])
      if (digit === null) return null
      position += digit * weight
      const threshold = Math.min(Math.max(k - bias, tMin), tMax)
      if (digit < threshold) break
      weight *= base - threshold
    }
    const length = output.length + 1
    bias = adapt(position - before, length, before === 0)
    codePoint += Math.floor(position / length)
    position %= length
    if (codePoint > 0x10ffff) return null
    output.splice(position++, 0, String.fromCodePoint(codePoint))
  }
  return output.join('')
}

function digitOf(letter: string | undefined): number | null {
  if (letter === undefined || !/^[a-z0-9]$/.test(letter)) return null
  return letter >= 'a' ? letter.charCodeAt(0) - 97 : Number(letter) + 26
}

function adapt(delta: number, length: number, first: boolean): number {
  let scaled = Math.floor(delta / (first ? 700 : 2))
  scaled += Math.floor(scaled / length)
  let k = 0
  for (; scaled > ((base - tMin) * tMax) / 2; k += base) scaled = Math.floor(scaled / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * scaled) / (scaled + 38))
}

/** `docs.acme.dev`, `bücher.example` */
export function withoutScheme(url: string): string {
  return url
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
    .replace(/^[^:/]+/, unicodeHostname)
}

import { createRandom } from '@masthead/testing/seeded-random.ts'

/** Bytes that decide something in HTTP/1.1 come more often than others. */
const telling = [
  '\r',
  '\n',
  '\r\n',
  ' ',
  '\t',
  ':',
  ',',
  '\0',
  '/',
  '#',
  '*',
  '\x7f',
  '\xff',
  '0',
  'Host: a\r\n',
]

/** Mutated texts, one character per byte: with bytes changed, inserted, removed or repeated, or the parts of two texts. */
export function createMutations(texts: readonly string[], seed: number): () => string {
  const random = createRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const inserted = () => (random(2) === 0 ? pick(telling) : String.fromCharCode(random(256)))
  return () => {
    let text = pick(texts)
    for (let changes = random(3); changes >= 0; changes--) {
      const at = random(text.length + 1)
      const before = text.slice(0, at)
      const after = text.slice(at)
      switch (random(5)) {
        case 0:
          text = before + inserted() + after
          break
        case 1:
          text = before + after.slice(1 + random(3))
          break
        case 2:
          text = before + inserted() + after.slice(1)
          break
        case 3: {
          const part = after.slice(0, random(40))
          text = before + part + part + after.slice(part.length)
          break
        }
        default: {
          const other = pick(texts)
          text = random(4) === 0 ? before + other.slice(random(other.length)) : text
        }
      }
    }
    return text
  }
}

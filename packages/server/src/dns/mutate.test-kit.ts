import fc from 'fast-check'

type Mutation =
  | { kind: 'set'; at: number; byte: number }
  | { kind: 'cut'; at: number }
  | { kind: 'insert'; at: number; bytes: Uint8Array }
  | { kind: 'repeat'; at: number; length: number }

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
/** Lengths and pointers are what breaks parsers. */
const byte = fc.oneof(fc.constantFrom(0, 1, 0x3f, 0x40, 0x80, 0xbf, 0xc0, 0xc1, 0xff), fc.nat(255))

/** Offsets are fractions of the length, so that the same mutations fit every message. */
export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('set' as const), at: place, byte }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: place }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('insert' as const),
        at: place,
        bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('repeat' as const), at: place, length: fc.nat(64) }),
    },
  ),
  { minLength: 1, maxLength: 6 },
)

export function mutated(original: Uint8Array, changes: readonly Mutation[]): Buffer {
  let bytes = Buffer.from(original)
  for (const change of changes) {
    const at = Math.floor(change.at * bytes.length)
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
    if (change.kind === 'set' && at < bytes.length) bytes[at] = change.byte
    else if (change.kind === 'cut') bytes = Buffer.from(before)
    else if (change.kind === 'insert') bytes = Buffer.concat([before, change.bytes, after])
    else if (change.kind === 'repeat')
      bytes = Buffer.concat([before, after.subarray(0, change.length), after])
  }
  return bytes
}

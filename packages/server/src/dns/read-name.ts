import { DnsFault } from './dns-fault.ts'
import { printable } from './dns-record.ts'

const longestName = 255
/** A pointer that is of use adds a label at least, and a name has no more labels than this. */
const mostPointers = 127

/**
 * The name at a place of a message, and where it ends there. Pointers may lead backwards only (RFC 1035,
 * section 4.1.4), so that reading always comes to an end.
 */
export function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  let end: number | null = null
  let earliest = start
  let length = 1
  let pointers = 0
  for (;;) {
    const head = message[at]
    if (head === undefined) throw new DnsFault('malformed', 'a name runs over the end of the message')
    if (head === 0) return { name: labels.join('.'), end: end ?? at + 1 }
    if (head >= 0xc0) {
      end ??= at + 2
      at = ((head & 0x3f) << 8) | (message[at + 1] ?? 0xff)
      if (at >= earliest || ++pointers > mostPointers) {
        throw new DnsFault('malformed', 'the pointers of a name lead nowhere')
      }
      earliest = at
      continue
    }
    if (head > 63) throw new DnsFault('malformed', 'a label is of an unknown kind')
    const label = message.subarray(at + 1, at + 1 + head)
    length += head + 1
    if (length > longestName || label.length < head) throw new DnsFault('malformed', 'a name is too long')
    labels.push(printable(label, 'label').toLowerCase())
    at += head + 1
  }
}

import { isBuiltPerAnswer, type Reply } from './assets/reply.ts'

interface KeptHead<Head> {
  readonly status: number
  readonly head: Head
  /** Of another status with the same fields, such as the 404 page that is also a page of its own. */
  readonly next: KeptHead<Head> | null
}

/** Deployments of an earlier version may have longer ones, of which few would fill the memory. */
const longestKept = 17_000
/** Of one protocol. A head takes this much besides its text. */
const maxBytes = 16 * 1024 ** 2
const bytesPerHead = 300

/**
 * Builds a protocol's form of a head once per file, until there are too many: then it starts over. By the fields instead
 * of the reply: those to GET and HEAD share them.
 */
export function keepHeads<Head>(
  build: (status: number, headers: readonly string[]) => Head,
  /** Gives a head that is kept memory of its own, unless `build` does. */
  detach: (head: Head) => Head = (head) => head,
): (reply: Reply) => Head {
  let all = new WeakMap<readonly string[], KeptHead<Head>>()
  let bytes = 0
  return (reply) => {
    const { status, headers } = reply
    const known = all.get(headers) ?? null
    for (let kept = known; kept !== null; kept = kept.next) if (kept.status === status) return kept.head
    const built = build(status, headers)
    const length = lengthOf(headers)
    if (isBuiltPerAnswer(reply) || length > longestKept) return built
    bytes += bytesPerHead + length
    if (bytes > maxBytes) {
      all = new WeakMap()
      bytes = bytesPerHead + length
    }
    const head = detach(built)
    all.set(headers, { status, head, next: known })
    return head
  }
}

function lengthOf(headers: readonly string[]): number {
  let length = 0
  for (const text of headers) length += text.length
  return length
}

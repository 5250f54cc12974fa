import type { Reply } from './reply.ts'

interface KeptHead<Head> {
  readonly status: number
  readonly head: Head
  /** Of another status with the same fields, such as the 404 page that is also a page of its own. */
  readonly next: KeptHead<Head> | null
}

/** Built for one answer only, so there is nothing to gain from keeping them. */
const builtPerAnswer = new Set([206, 301, 302, 303, 307, 308])
/** A site's rules can make heads so long that keeping one per file would fill memory. */
const longestKept = 4_096

/** Builds a protocol's form of a head once per file. By the fields instead of the reply: those to GET and HEAD share them. */
export function keepHeads<Head>(
  build: (status: number, headers: readonly string[]) => Head,
  /** Gives a head that is kept memory of its own, unless `build` does. */
  detach: (head: Head) => Head = (head) => head,
): (reply: Reply) => Head {
  const all = new WeakMap<readonly string[], KeptHead<Head>>()
  return ({ status, headers }) => {
    const known = all.get(headers) ?? null
    for (let kept = known; kept !== null; kept = kept.next) if (kept.status === status) return kept.head
    const built = build(status, headers)
    if (builtPerAnswer.has(status) || !isShort(headers)) return built
    const head = detach(built)
    all.set(headers, { status, head, next: known })
    return head
  }
}

function isShort(headers: readonly string[]): boolean {
  let length = 0
  for (const text of headers) length += text.length
  return length <= longestKept
}

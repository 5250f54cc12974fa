import { memoize } from '../../kernel/cache/memoize.ts'

/** RFC 9218, 4: `urgency` from 0 (first) to 7. Incremental answers of one urgency share the connection. */
export interface Priority {
  readonly urgency: number
  readonly incremental: boolean
}

export const defaultPriority: Priority = { urgency: 3, incremental: false }

/** Reads the Priority field. Parameters that are missing or out of range have their defaults. */
export const readPriority: (field: string) => Priority = memoize(200, (field) => {
  let { urgency, incremental } = defaultPriority
  for (const member of field.split(',')) {
    const [, key = '', value = '?1'] = /^[ \t]*([a-z*][\w.*-]*)(?:=([^;]*))?(?:;.*)?$/.exec(member) ?? []
    if (key === 'u' && /^[0-7]$/.test(value.trim())) urgency = Number(value)
    if (key === 'i' && /^\?[01]$/.test(value.trim())) incremental = value.trim() === '?1'
  }
  return { urgency, incremental }
})

/** What a client may say of streams before it opens them. */
export class EarlyPriorities {
  #byStream: Map<number, Priority> | null = null

  get size(): number {
    return this.#byStream?.size ?? 0
  }

  has(stream: number): boolean {
    return this.#byStream?.has(stream) ?? false
  }

  set(stream: number, priority: Priority): void {
    this.#byStream ??= new Map()
    this.#byStream.set(stream, priority)
  }

  /** The priority of a stream that is opened, which closes idle streams before it too. */
  take(stream: number): Priority | null {
    if (this.#byStream === null) return null
    const found = this.#byStream.get(stream) ?? null
    for (const early of this.#byStream.keys()) if (early <= stream) this.#byStream.delete(early)
    if (this.#byStream.size === 0) this.#byStream = null
    return found
  }
}

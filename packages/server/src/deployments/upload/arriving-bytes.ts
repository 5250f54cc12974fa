import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { Problem } from '../../kernel/problem.ts'

/** In seconds. The client sends everything again, so not immediately. */
const retryAfter = 10

/**
 * Limits what uploads of one account take on the disk before it counts as storage: zip archives, which can only be read
 * once complete, and listed files, which may arrive several times at once. Alone, an upload is never refused here: it
 * has limits of its own.
 */
export class ArrivingBytes {
  readonly #limit: number
  readonly #ofAccounts = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  of(accountId: string): ArrivingUpload {
    let own = 0
    const add = (bytes: number) => {
      own += bytes
      const all = this.#all(accountId) + bytes
      if (all === 0) this.#ofAccounts.delete(accountId)
      else this.#ofAccounts.set(accountId, all)
    }
    const giveBack = () => add(-own)
    const take = (bytes: number) => {
      const all = this.#all(accountId)
      if (all > own && all + bytes > this.#limit) {
        // It ends now: the others must not be refused for its bytes too.
        giveBack()
        throw this.#tooMuch(all)
      }
      add(bytes)
    }
    return {
      take,
      async *counted(content) {
        for await (const chunk of content) {
          take(chunk.byteLength)
          yield chunk
        }
      },
      giveBack,
    }
  }

  #all(accountId: string): number {
    return this.#ofAccounts.get(accountId) ?? 0
  }

  #tooMuch(all: number): Problem {
    const taken = `${formatBytes(all)} of at most ${formatBytes(this.#limit)}`
    const detail = `The uploads of this account that are still arriving take ${taken}.`
    return new Problem('too_many_uploads', detail, { headers: { 'Retry-After': String(retryAfter) } })
  }
}

export interface ArrivingUpload {
  /** Call before writing. Throws the Problem `too_many_uploads` if other uploads leave no room. */
  take(bytes: number): void
  /** The same content, each chunk taken first. */
  counted(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** Call once what arrived is stored, or gone. */
  giveBack(): void
}

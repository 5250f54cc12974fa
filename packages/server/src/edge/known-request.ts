import type { ReadyAnswer } from './lane-writer.ts'
import { type RequestHead, readRequestHead } from './request-head.ts'

/** What is longer is answered as well, and not kept. */
const longestContent = 16 * 1024

/** A request by its bytes, read once, and what it was answered with: many clients say the same, and say it again. */
export class KnownRequest {
  /** One head with its empty line, one character a byte. */
  readonly text: string
  /** Null: for node:http to read. */
  readonly head: RequestHead | null
  #answer: ReadyAnswer | null = null
  #servername: string | null = null

  constructor(text: string) {
    this.text = text
    this.head = readRequestHead(text)
  }

  /** Null: it was not answered on a connection for this name, or things have changed since. */
  answerFor(servername: string | null): ReadyAnswer | null {
    const answer = this.#answer
    return answer?.standing?.isOver === false && servername === this.#servername ? answer : null
  }

  keep(answer: ReadyAnswer, servername: string | null): void {
    this.#answer = answer.content.length <= longestContent ? answer : null
    this.#servername = servername
  }
}

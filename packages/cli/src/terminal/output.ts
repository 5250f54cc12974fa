import { styleText } from 'node:util'
import { displayRows } from './layout.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const eraseLine = '\r\x1b[2K'
const eraseLineAbove = '\x1b[1A\x1b[2K'

export interface OutputOptions {
  stdin: { isTTY?: boolean }
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  json: boolean
  quiet: boolean
}

/** Results go to standard output, everything said beside them to standard error. */
export class Output {
  readonly json: boolean
  readonly stderr: NodeJS.WriteStream
  /** Whether a person is there to be asked. */
  readonly interactive: boolean
  /** Whether more than the result is wanted. */
  readonly chatty: boolean
  readonly #stdout: NodeJS.WriteStream
  #standing: readonly string[] = []

  constructor({ stdin, stdout, stderr, json, quiet }: OutputOptions) {
    this.json = json
    this.stderr = stderr
    this.chatty = !json && !quiet
    this.interactive = !json && stdin.isTTY === true && stderr.isTTY === true
    this.#stdout = stdout
  }

  /** Columns that a line of the result may take. */
  get width(): number {
    return this.#stdout.columns || 80
  }

  /** The same for what is said beside it. */
  get noteWidth(): number {
    return this.stderr.columns || 80
  }

  result(text: string): void {
    if (text !== '') this.#stdout.write(`${text}\n`)
  }

  /** Good to know, but nobody depends on it. */
  note(text: string): void {
    if (this.chatty) this.tell(text)
  }

  /** What the person must see, whatever is asked of the output. */
  tell(text: string): void {
    this.clear()
    this.stderr.write(`${text}\n`)
  }

  /** Stands at a terminal until it is drawn anew, cleared, or in the way of something to tell. Long lines stay whole. */
  draw(lines: readonly string[]): void {
    // One write, so that nothing flickers.
    this.stderr.write(`${this.#erasure()}${lines.join('\n')}`)
    this.#standing = lines
  }

  clear(): void {
    const erasure = this.#erasure()
    if (erasure !== '') this.stderr.write(erasure)
    this.#standing = []
  }

  #erasure(): string {
    if (this.#standing.length === 0) return ''
    const rows = this.#standing.reduce((sum, line) => sum + displayRows(line, this.noteWidth), 0)
    return eraseLine + eraseLineAbove.repeat(rows - 1)
  }

  /** For what `result` prints; plain where the terminal or NO_COLOR asks for it. */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#stdout })
  }

  /** For what `note` and `tell` print. */
  noteStyle(style: Style, text: string): string {
    return styleText(style, text, { stream: this.stderr })
  }
}

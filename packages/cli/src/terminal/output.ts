import { styleText } from 'node:util'
import { displayRows } from './layout.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
export type Paint = (style: Style, text: string) => string

const eraseLine = '\r\x1b[2K'
const eraseLineAbove = '\x1b[1A\x1b[2K'

export interface OutputOptions {
  stdin: { isTTY?: boolean }
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  json: boolean
  quiet: boolean
}

/** Results go to standard output, everything else to standard error. */
export class Output {
  readonly json: boolean
  readonly stderr: NodeJS.WriteStream
  /** Whether questions can be asked. */
  readonly interactive: boolean
  /** Whether notes are printed besides the result. */
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

  /** Columns of standard output. */
  get width(): number {
    return this.#stdout.columns || 80
  }

  /** Columns of standard error. */
  get noteWidth(): number {
    return this.stderr.columns || 80
  }

  result(text: string): void {
    if (text !== '') this.#stdout.write(`${text}\n`)
  }

  /** Printed unless --quiet or --json is set. */
  note(text: string): void {
    if (this.chatty) this.tell(text)
  }

  /** Always printed. */
  tell(text: string): void {
    this.clear()
    this.stderr.write(`${text}\n`)
  }

  /** Shown at a terminal until the next draw, clear or tell. Long lines are not cut. */
  draw(lines: readonly string[]): void {
    // A single write avoids flicker.
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

  /** For standard output; plain if the terminal has no colors or NO_COLOR is set. */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#stdout })
  }

  /** For standard error. */
  noteStyle(style: Style, text: string): string {
    return styleText(style, text, { stream: this.stderr })
  }
}

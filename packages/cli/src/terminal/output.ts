import { displayRows, withoutControls } from './layout.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
export type Paint = (style: Style, text: string) => string

/** Where each begins and ends (ECMA-48). `styleText` knows streams only since Node.js 22. */
const styles: Record<Style, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

/** `hasColors` respects NO_COLOR, and terminals without colors. */
function paint(style: Style, text: string, stream: NodeJS.WriteStream): string {
  if (!stream.isTTY || !stream.hasColors()) return text
  const [on, off] = styles[style]
  return `\x1b[${on}m${text}\x1b[${off}m`
}

/** What a server said could move the cursor, change the title or type: at a terminal only our own styles get through. */
function shown(text: string, stream: NodeJS.WriteStream): string {
  return stream.isTTY ? withoutControls(text) : text
}

const eraseLine = '\r\x1b[2K'
const eraseLineAbove = '\x1b[1A\x1b[2K'

export interface OutputOptions {
  stdin: { isTTY?: boolean }
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  json: boolean
  quiet: boolean
  /** Aborts when nobody reads standard output any more. */
  unread?: AbortSignal
  /** Changes the commands in a text to what the person has to type. */
  asTyped?: (text: string) => string
}

/** Results go to standard output, everything else to standard error. */
export class Output {
  readonly json: boolean
  readonly stderr: NodeJS.WriteStream
  /** Whether questions can be asked. */
  readonly interactive: boolean
  /** Whether notes are printed besides the result. */
  readonly chatty: boolean
  /** For commands that only print: aborts when nobody reads standard output any more. */
  readonly unread: AbortSignal
  readonly asTyped: (text: string) => string
  readonly #stdout: NodeJS.WriteStream
  #drawn: readonly string[] = []

  constructor(options: OutputOptions) {
    const { stdin, stdout, stderr, json, quiet } = options
    this.asTyped = options.asTyped ?? ((text) => text)
    this.unread = options.unread ?? new AbortController().signal
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
    if (text !== '' && !this.unread.aborted) this.#stdout.write(`${shown(text, this.#stdout)}\n`)
  }

  /** Printed unless --quiet or --json is set. */
  note(text: string): void {
    if (this.chatty) this.tell(text)
  }

  /** Always printed. */
  tell(text: string): void {
    this.clear()
    this.stderr.write(`${shown(this.asTyped(text), this.stderr)}\n`)
  }

  /** Shown at a terminal until the next draw, clear or tell. Long lines are not cut. */
  draw(lines: readonly string[]): void {
    // A single write avoids flicker.
    this.stderr.write(`${this.#erasure()}${shown(lines.join('\n'), this.stderr)}`)
    this.#drawn = lines
  }

  /** Draws if nothing is shown but `own`. */
  drawUnlessBusy(lines: readonly string[], own: readonly string[]): boolean {
    if (this.#drawn.length > 0 && this.#drawn !== own) return false
    this.draw(lines)
    return true
  }

  /** Clears these lines if they are still shown. */
  clearIf(lines: readonly string[]): void {
    if (this.#drawn === lines) this.clear()
  }

  clear(): void {
    const erasure = this.#erasure()
    if (erasure !== '') this.stderr.write(erasure)
    this.#drawn = []
  }

  #erasure(): string {
    if (this.#drawn.length === 0) return ''
    const rows = this.#drawn.reduce((sum, line) => sum + displayRows(line, this.noteWidth), 0)
    return eraseLine + eraseLineAbove.repeat(rows - 1)
  }

  /** For standard output; plain if the terminal has no colors or NO_COLOR is set. */
  style(style: Style, text: string): string {
    return paint(style, text, this.#stdout)
  }

  /** For standard error. */
  noteStyle(style: Style, text: string): string {
    return paint(style, text, this.stderr)
  }
}

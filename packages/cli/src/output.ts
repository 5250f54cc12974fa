import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'cyan'

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

  constructor({ stdin, stdout, stderr, json, quiet }: OutputOptions) {
    this.json = json
    this.stderr = stderr
    this.chatty = !json && !quiet
    this.interactive = !json && stdin.isTTY === true && stderr.isTTY === true
    this.#stdout = stdout
  }

  result(text: string): void {
    if (text !== '') this.#stdout.write(`${text}\n`)
  }

  /** Good to know, but nobody depends on it. */
  note(text: string): void {
    if (this.chatty) this.stderr.write(`${text}\n`)
  }

  /** What the person must see, whatever is asked of the output. */
  tell(text: string): void {
    this.stderr.write(`${text}\n`)
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

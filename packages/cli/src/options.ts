/** An option as data: parsing and help both read it. */
export interface Option {
  type: 'boolean' | 'string'
  short?: string
  multiple?: boolean
  /** What stands for the value in the help, e.g. `URL`. */
  value?: string
  help: string
}

export type Options = Readonly<Record<string, Option>>

export type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K] extends { type: 'boolean' }
    ? boolean
    : O[K] extends { multiple: true }
      ? string[]
      : string
}

/** Options that every command takes. */
export const globalOptions = {
  project: {
    type: 'string',
    short: 'p',
    value: 'SLUG',
    help: 'the project, instead of the one in masthead.json or masthead.yaml',
  },
  server: {
    type: 'string',
    value: 'URL',
    help: 'the server, instead of MASTHEAD_SERVER or the last one used',
  },
  json: { type: 'boolean', help: 'print one JSON document, for programs' },
  quiet: { type: 'boolean', short: 'q', help: 'print the result only' },
  yes: { type: 'boolean', short: 'y', help: 'answer every question with yes' },
  help: { type: 'boolean', short: 'h', help: 'show what a command does and takes' },
  version: { type: 'boolean', short: 'V', help: 'show the version' },
} as const satisfies Options

import { usageError } from '../errors/command-error.ts'

/** `name=text` and `name:=json` as an object. */
export function parseFields(words: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(words.map(parseField))
}

function parseField(word: string): [string, unknown] {
  const [, name, separator, text = ''] = /^([^=:\s]+)(:?=)([\s\S]*)$/.exec(word) ?? []
  if (name === undefined) {
    throw usageError(
      `"${word}" is not a field.`,
      'Use name=text, or name:=JSON for numbers, lists and the like.',
    )
  }
  return [name, separator === '=' ? text : parseJson(name, text)]
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(`The value of ${name} is not JSON: ${text}`, `Use ${name}=… if it is text.`)
  }
}

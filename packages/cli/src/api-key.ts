import { CommandError } from './errors/command-error.ts'

/** A key without the spaces and line breaks around it, which pasted secrets often have. Throws if it cannot be one. */
export function parseKey(text: string, source: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new CommandError(
    'key_malformed',
    `${source} is not a key: it has characters that no key has.`,
    'Copy the key again, without quotes, spaces or line breaks in it.',
    'denied',
  )
}

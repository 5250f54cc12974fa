import { tokenise } from './tokens.ts'

/** The lines that read `process.env`, also by brackets or by importing it from `node:process`. */
export function environmentReads(source: string): number[] {
  const tokens = tokenise(source)
  const reads = tokens.filter((token, index) => {
    const [second, third] = tokens.slice(index + 1, index + 3)
    if (token.text === 'process' && token.kind === 'word') {
      return (second?.text === '.' || second?.text === '[') && third?.text === 'env'
    }
    return token.kind === 'string' && token.text === 'node:process' && tokens[index - 1]?.text === 'from'
  })
  return reads.map(({ line }) => line)
}

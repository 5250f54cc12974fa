/** The CLI uses the default address without a flag. */
export function terminalCommand(command: string, origin: string): string {
  const line = `npx masthead ${command}`
  return origin === 'http://localhost:8080' ? line : `${line} --server ${origin}`
}

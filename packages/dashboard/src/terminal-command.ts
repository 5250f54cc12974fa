/** A command to run against this server; the command line finds one on its default address by itself. */
export function terminalCommand(command: string, origin: string): string {
  const line = `npx masthead ${command}`
  return origin === 'http://localhost:8080' ? line : `${line} --server ${origin}`
}

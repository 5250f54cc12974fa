/** A line to copy: with the package that the server offers, or as in a checkout if it offers none. */
export function terminalCommand(command: string, packageUrl: string | undefined, origin: string): string {
  return packageUrl === undefined
    ? `npx masthead ${command} --server ${origin}`
    : `npx ${packageUrl} ${command}`
}

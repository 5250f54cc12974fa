/** What the exit code tells a script. docs/cli.md and `masthead --help` show the same table. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'the request failed, or what was checked is not right' },
  usage: { code: 2, meaning: 'wrong usage' },
  denied: { code: 3, meaning: 'not signed in, or not permitted' },
  unreachable: { code: 4, meaning: 'the server cannot be reached' },
  interrupted: { code: 130, meaning: 'interrupted' },
} as const

export type Exit = keyof typeof exitCodes

const words: Readonly<Record<string, string>> = {
  answered: 'answered',
  timeout: 'no answer in time',
  unreachable: 'cannot be reached',
  lame: 'does not know the zone',
  refused: 'refuses to answer',
  servfail: 'answers with an error',
  malformed: 'answers in a way that cannot be read',
  private_address: 'has a private address, which is not asked',
  no_address: 'has no address',
}

/** How asking a nameserver ended; a newer server may know other ends. */
export function outcomeWords(outcome: string): string {
  return Object.hasOwn(words, outcome) ? (words[outcome] ?? outcome) : outcome.replaceAll('_', ' ')
}

import { Problem } from '../kernel/problem.ts'
import { hashPassword } from './password.ts'

/**
 * Words that the most common passwords consist of, in lower case and with letters in place of look-alike digits or
 * signs ("p@ssw0rd"). Guessers try these first.
 */
const commonPasswords: readonly string[] = `
abcabc access admin administrator adobe alexander amanda america andrea andrew angel apple arsenal ashley asshole
august austin azerty baby babygirl bailey barbara barcelona baseball basketball batman beautiful biteme blahblah
blessed blink bond boomer brandon bubbles buster butterfly carlos changeme charlie cheese chelsea chicken chocolate
christ computer cookie corvette cowboy dallas daniel default demo diamond dragon eagles eminem enter europe falcon
ferrari fireball flower football forever friday friend friends freedom fuckyou george ginger golfer google guest guitar
hammer hannah happy harley hello hockey hunter iceman iloveyou internet jackson january jasmine jennifer jessica
jesus jonathan jordan joshua july justin killer king knight lakers letmein linkedin liverpool login london lovely
loveme lover lovers loveyou maggie manager master matrix matthew maverick melissa mercedes merlin michael michelle
mickey midnight minecraft monday money monkey monster morgan mother motdepasse mustang mynoob naruto naughty newyork
nicole ninja november october office oliver operator orange pass passw password passwort patrick peanut pepper phoenix
player please pokemon porsche princess private purple qazwsx querty rabbit rainbow rangers redsox robert root samantha
samsung sarah school scooter secret secure september server shadow silver snoopy soccer sophie spider spiderman
starwars steelers sunday sunshine summer superman superuser tennis tequiero test tester testing thomas thunder tigger
tinkerbell toor trustno turtle unknown user username victoria vikings warrior welcome whatever william windows winner
winter wizard yankees yellow zaqwsx zxcasd
`
  .trim()
  .split(/\s+/)

/** Adjacent keys, letters of the alphabet and digits, also in reverse. */
const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
].flatMap((row) => [row, [...row].reverse().join('')])
const minRunLength = 4

/** Letters for look-alike digits and signs; 1 can be an i or an l. */
const substitutes: Record<string, string> = { '@': 'a', 4: 'a', 3: 'e', '!': 'i', 0: 'o', 5: 's', $: 's' }
const spellings = [{}, { ...substitutes, 1: 'i' }, { ...substitutes, 1: 'l' }] as Record<string, string>[]

const minDistinct = 5
const minUnitLength = 8
/** Characters that must remain once everything guessable is removed. A year and a few signs are guessable too. */
const minUnguessable = 4
const guessable = { digits: 4, signs: 3 }
/** From this length on, even common words make too many combinations to try. */
const longPassphrase = 20

/**
 * What is wrong with a new password, phrased to follow its field's name, or null. `about` is what strangers may know
 * about the person: name, email address, account, server.
 */
export function passwordIssue(password: string, about: readonly string[]): string | null {
  const text = password.normalize('NFKC').toLowerCase()
  if (new Set(text).size < minDistinct || text.replaceAll(/(.+?)\1+/gu, '$1').length < minUnitLength) {
    return 'repeats the same few characters; mix several unrelated words'
  }
  if (unguessableWithout(text, about.flatMap(wordsOf)) < minUnguessable) {
    return 'is little more than a name or address that others know; choose something unrelated to you'
  }
  const withoutRuns = removeRuns(text)
  if (countUnguessable(withoutRuns) < minUnguessable) {
    return 'is a run of adjacent letters, digits or keys; mix several unrelated words'
  }
  const guessed = [...commonPasswords, ...about.flatMap(wordsOf)]
  if (text.length < longPassphrase && unguessableWithout(withoutRuns, guessed) < minUnguessable) {
    return 'is one of the most common passwords, or close to one; mix several unrelated words'
  }
  return null
}

/** Hashes a password, or refuses one that is easy to guess. */
export async function hashNewPassword(
  password: string,
  about: readonly string[],
  field = 'password',
): Promise<string> {
  const message = passwordIssue(password, about)
  if (message === null) return hashPassword(password)
  throw new Problem('invalid_input', `The password ${message}.`, {
    extra: { errors: [{ path: field, message }] },
  })
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return [plain, ...plain.split(/[^\p{L}\p{N}]+/u)].filter((word) => word.length >= 3)
}

/** How many unguessable characters remain without these words, for the weakest reading of digits as letters. */
function unguessableWithout(text: string, words: readonly string[]): number {
  const longestFirst = words.toSorted((a, b) => b.length - a.length)
  const left = spellings.map((letters) => {
    const spelled = [...text].map((char) => letters[char] ?? char).join('')
    return countUnguessable(longestFirst.reduce((rest, word) => rest.replaceAll(word, ' '), spelled))
  })
  return Math.min(...left)
}

/** How many characters a guesser would have to find. */
function countUnguessable(text: string): number {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const digits = text.match(/\p{N}/gu)?.length ?? 0
  const signs = text.match(/[^\p{L}\p{N}\s]/gu)?.length ?? 0
  return letters + Math.max(0, digits - guessable.digits) + Math.max(0, signs - guessable.signs)
}

function removeRuns(text: string): string {
  let rest = ''
  for (let at = 0; at < text.length; ) {
    const length = Math.max(...rows.map((row) => runLength(text, at, row)))
    if (length < minRunLength) rest += text[at++]
    else at += length
  }
  return rest
}

function runLength(text: string, at: number, row: string): number {
  const start = row.indexOf(text.slice(at, at + minRunLength))
  if (start === -1) return 0
  let length = 0
  while (at + length < text.length && text[at + length] === row[start + length]) length++
  return length
}

interface Named {
  title: string
  detail?: string
  alsoCalled?: readonly string[]
}

/** The distance of each kind of match. A match in the detail ranks after any match in a title. */
const found = { atStart: 0, atWord: 1, inside: 2, inDetail: 3, scattered: 5 } as const

/** The entries that match every word of the query, best first. The sort is stable. */
export function rank<T extends Named>(query: string, entries: readonly T[]): T[] {
  const words = plain(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...entries]
  return entries
    .map((entry) => ({ entry, distance: distanceOf(words, entry) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.distance - b.distance)
    .map(({ entry }) => entry)
}

/** By the name that matches best. */
function distanceOf(words: readonly string[], { title, detail = '', alsoCalled = [] }: Named): number {
  const inDetail = plain(detail)
  const distances = [title, ...alsoCalled].map((name) => {
    const inName = plain(name)
    return words.reduce((sum, word) => sum + distanceOfWord(word, inName, inDetail), 0)
  })
  return Math.min(...distances)
}

function distanceOfWord(word: string, title: string, detail: string): number {
  if (title.startsWith(word)) return found.atStart
  if (startsAWord(word, title)) return found.atWord
  if (title.includes(word)) return found.inside
  if (detail.includes(word)) return found.inDetail
  // A single letter occurs in nearly everything.
  return word.length > 1 && isScattered(word, title) ? found.scattered : Number.POSITIVE_INFINITY
}

function startsAWord(word: string, text: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isPartOfWord(text.charAt(at - 1))) return true
  }
  return false
}

/** The letters, in order, inside one word or as the initials of several. */
function isScattered(letters: string, text: string): boolean {
  const words = text.split(notInWords).filter(Boolean)
  const initials = words.map((word) => word.charAt(0)).join('')
  return [initials, ...words].some((each) => inOrder(letters, each))
}

function inOrder(letters: string, text: string): boolean {
  let at = -1
  return [...letters].every((letter) => {
    at = text.indexOf(letter, at + 1)
    return at !== -1
  })
}

const notInWords = /[^\p{L}\p{N}]+/u

function isPartOfWord(letter: string): boolean {
  return letter !== '' && !notInWords.test(letter)
}

/** Ignores case and accents. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/** The closest word, if the edit distance is at most a third of its length. */
export function closestMatch(typed: string, words: Iterable<string>): string | null {
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const word of words) {
    const distance = word.startsWith(typed) && typed.length > 1 ? 0 : editDistance(typed.toLowerCase(), word)
    if (distance < bestDistance && distance <= Math.max(1, Math.ceil(word.length / 3))) {
      best = word
      bestDistance = distance
    }
  }
  return best
}

/** Damerau–Levenshtein distance (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        replaced,
        at(last, j) + 1,
        at(row, j - 1) + 1,
        swapped ? at(beforeLast, j - 2) + 1 : replaced,
      )
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}

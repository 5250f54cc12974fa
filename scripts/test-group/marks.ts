/** How the process of a test group tells its parent where it is. */

/** The name of the last test of a file, which is none of its own. */
export const endOfFile = '<<< end of file >>>'

/** Written to both outputs before a file's own, and on Linux at once: it is read even if the process then dies. */
export const startOfFile = (file: string): string => `<<< start of ${file} >>>\n`

const start = /<<< start of (.+) >>>\n/

/** What was printed, split by the file that printed it; before the first mark it is the one that was running. */
export function splitByFile(printed: string, running: string): { file: string; text: string }[] {
  const [first = '', ...rest] = printed.split(start)
  const parts = [{ file: running, text: first }]
  for (let index = 0; index < rest.length; index += 2) {
    parts.push({ file: rest[index] ?? '', text: rest[index + 1] ?? '' })
  }
  return parts
}

import { Problem } from '../../problem.ts'

/** So much may come out of however little; beyond, only so many times what went in. Text shrinks to a tenth. */
const always = 32 * 1024 ** 2
const times = 100

/** Throws Problem `archive_expands_too_much` for what only an archive made to do harm does. */
export function refuseBomb(packed: number, unpacked: number): void {
  if (unpacked <= always || unpacked <= packed * times) return
  const detail = `The archive unpacks to more than ${times} times its size.`
  throw new Problem('archive_expands_too_much', detail)
}

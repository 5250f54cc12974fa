/** Longer than any name with what is pasted around it. */
const longest = 400

/** Whether something typed is far enough to ask the API how it is understood. Decides nothing else. */
export function looksLikeAName(typed: string): boolean {
  return typed.length <= longest && /[^\s.:/@][.。．｡][^\s./:]{2}/u.test(typed)
}

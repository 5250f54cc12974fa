/** Where a value is inside objects and lists: `domains`, `redirects`, 0, `to`. */
export type MemberPath = readonly (string | number)[]

export function valueAt(whole: unknown, path: MemberPath): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    whole,
  )
}

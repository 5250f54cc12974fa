/** What stands at a path inside objects and lists; undefined where it leads nowhere. */
export function valueAt(whole: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    whole,
  )
}

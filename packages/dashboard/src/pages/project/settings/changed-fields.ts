/** The fields of a draft that differ from what is stored; one set back to what is stored counts as untouched. */
export function changedFields<T extends object>(draft: Partial<T>, stored: T): Partial<T> {
  const fields = Object.keys(draft) as (keyof T)[]
  const changed = fields.filter((field) => draft[field] !== stored[field])
  return Object.fromEntries(changed.map((field) => [field, draft[field]])) as Partial<T>
}

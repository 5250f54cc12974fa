/** What a change makes of cached values. */
export interface Invalidation {
  /** Names of the values that changed; null means all of them. */
  readonly names: readonly string[] | null
  /** Whether any key known to be absent may exist now. */
  readonly mayCreate: boolean
  /** Whether the old values must not be used any more, even if nothing newer can be loaded. */
  readonly forget: boolean
}

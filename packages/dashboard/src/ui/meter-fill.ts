export interface MeterFill {
  /** From 0 to 1. */
  part: number
  state: 'enough' | 'nearly' | 'full'
}

/** From here on a meter warns. */
const nearlyFrom = 0.8

/** How much of a limit is used. More than all of it, after the limit was lowered, is all of it. */
export function meterFill(used: number, limit: number): MeterFill {
  if (used >= limit) return { part: 1, state: 'full' }
  const part = Math.max(0, used / limit)
  return { part, state: part >= nearlyFrom ? 'nearly' : 'enough' }
}

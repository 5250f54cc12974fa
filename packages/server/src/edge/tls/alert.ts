/** Why a handshake is refused, as clients are told (RFC 8446, 6.2). */
export const alerts = {
  /** Nobody here has the name, or none was given. */
  unknown: 112,
  /** It cannot be told now who has it. */
  unavailable: 80,
  malformed: 50,
} as const

export type Refusal = keyof typeof alerts

/** A fatal alert, for before there are keys. */
export function alertRecord(refusal: Refusal): Buffer {
  return Buffer.from([21, 3, 3, 0, 2, 2, alerts[refusal]])
}

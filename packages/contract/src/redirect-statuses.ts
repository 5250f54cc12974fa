/** Permanent ones are remembered by browsers. 301 and 302 may turn a POST into a GET; 307 and 308 do not. */
export const redirectStatuses = [301, 302, 307, 308] as const

export type RedirectStatus = (typeof redirectStatuses)[number]

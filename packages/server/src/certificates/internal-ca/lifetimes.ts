import { day } from '../../kernel/clock.ts'

export const rootLifetime = 3652 * day
export const leafLifetime = 7 * day

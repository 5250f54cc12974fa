/** Who an address stands for where people sign in: the same as where requests are counted. */
export { callerOf as networkOf } from '../../limits/caller-address.ts'

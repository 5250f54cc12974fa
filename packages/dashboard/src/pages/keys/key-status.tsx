import type { Key } from '@masthead/contract/schemas/key.ts'
import { useTimeLeft } from '../../ui/countdown.tsx'
import { Status } from '../../ui/status.tsx'
import { type Ban, keyState } from './key-state.ts'

export function KeyStatus({ apiKey, ban }: { apiKey: Key; ban: Ban | undefined }) {
  const state = keyState(apiKey, ban, Date.now())
  const left = useTimeLeft(state.is === 'expired' ? null : state.until)
  if (state.is === 'expired') return <Status tone="idle">Expired</Status>
  if (state.is === 'banned') return <Status tone="stopped">Banned, {left} left</Status>
  return <Status tone="live">Active</Status>
}

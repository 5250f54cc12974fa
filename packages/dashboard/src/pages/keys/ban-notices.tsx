import { Notice } from '../../ui/notices.tsx'
import { useTimeLeft } from '../../ui/time.tsx'
import { clockTime } from '../../ui/time-words.ts'
import { durationWords, type KeyBan } from './key.ts'

/** Why keys are banned, until when, and what to change. */
export function BanNotices({ bans }: { bans: readonly KeyBan[] }) {
  return (
    <div className="mt-4 flex flex-col gap-3 empty:hidden">
      {bans.map((ban) => (
        <BanNotice key={ban.keyId} ban={ban} />
      ))}
    </div>
  )
}

function BanNotice({ ban: { keyName, violations, until, nextBanSeconds } }: { ban: KeyBan }) {
  const end = Date.parse(until)
  const over = useTimeLeft(end) === null
  if (over) return null
  return (
    <Notice tone="stopped" title={`${keyName} kept sending requests after 429.`}>
      {violations === 1 ? '1 request' : `${violations.toLocaleString('en')} requests`} arrived before
      Retry-After had passed. The ban ends at {clockTime(end, Date.now())}; the next one would last{' '}
      {durationWords(nextBanSeconds)}. Make its client wait for{' '}
      <code className="font-mono text-small">Retry-After</code>.
    </Notice>
  )
}

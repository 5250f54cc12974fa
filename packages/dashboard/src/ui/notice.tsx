import type { ReactNode } from 'react'

const tones = {
  live: 'border-live bg-live-wash',
  waiting: 'border-waiting bg-waiting-wash',
  stopped: 'border-stopped bg-stopped-wash',
} as const

interface NoticeProps {
  tone: keyof typeof tones
  /** What is. */
  title: ReactNode
  /** What to do. */
  children?: ReactNode
}

export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div
      role={tone === 'stopped' ? 'alert' : 'status'}
      className={`fade-in rounded-r-sheet border-l-3 px-4 py-3 ${tones[tone]}`}
    >
      <strong className="font-semibold">{title}</strong> {children}
    </div>
  )
}

import type { ReactNode } from 'react'
import { DoubleRule } from '../ui/rule.tsx'

interface FrontPageProps {
  title: string
  lede?: ReactNode
  children?: ReactNode
}

/** A page for people who are not inside yet: the nameplate of a newspaper and one column under it. */
export function FrontPage({ title, lede, children }: FrontPageProps) {
  return (
    <div className="mx-auto min-h-dvh w-full max-w-[720px] px-4 pt-8 pb-20 sm:px-7 sm:pt-14">
      <title>{`${title} · Masthead`}</title>
      <header>
        <a href="/" className="mx-auto block w-fit font-serif text-plate font-medium tracking-[-0.025em]">
          Masthead
        </a>
        <div className="mt-4">
          <DoubleRule />
          <p className="flex justify-between gap-4 border-b border-hairline py-2 text-small text-soft">
            <span className="min-w-0 truncate">{location.host}</span>
            <span className="shrink-0">{today()}</span>
          </p>
        </div>
      </header>
      <main className="mx-auto mt-10 w-full max-w-[384px] sm:mt-14">
        <h1 className="text-title">{title}</h1>
        {lede !== undefined && <p className="mt-1.5 text-soft">{lede}</p>}
        <div className="mt-7">{children}</div>
      </main>
    </div>
  )
}

function today(): string {
  return new Date().toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
}

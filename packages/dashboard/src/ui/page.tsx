import { createContext, type ReactNode, useContext } from 'react'
import { useArrival } from './arrival.ts'

interface PageProps {
  title: string
  lede?: ReactNode
  /** Stands at the right of the title: the one thing to do here. */
  aside?: ReactNode
  children?: ReactNode
}

/** What a view is a part of, told after its title in the browser's tab. */
export const TitleContext = createContext<string | null>(null)

/** The body of a view: its title, a sentence about it, and what it holds. */
export function Page({ title, lede, aside, children }: PageProps) {
  const main = useArrival<HTMLElement>()
  const partOf = useContext(TitleContext)
  return (
    <main
      ref={main}
      id="main"
      tabIndex={-1}
      className="mx-auto w-full max-w-[896px] px-4 pt-9 pb-20 outline-none sm:px-7 sm:pt-12"
    >
      <title>{[...new Set([title, partOf, 'Masthead'])].filter(Boolean).join(' · ')}</title>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 className="min-w-0 text-title wrap-anywhere">{title}</h1>
        {aside}
      </div>
      {lede !== undefined && <p className="mt-1.5 max-w-[60ch] text-soft">{lede}</p>}
      <div className="mt-8">{children}</div>
    </main>
  )
}

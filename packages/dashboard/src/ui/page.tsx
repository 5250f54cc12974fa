import type { ReactNode } from 'react'

interface PageProps {
  title: string
  lede?: ReactNode
  children?: ReactNode
}

/** The body of a view: its title, a sentence about it, and what it holds. */
export function Page({ title, lede, children }: PageProps) {
  return (
    <main id="main" className="mx-auto w-full max-w-[896px] px-4 pt-9 pb-20 sm:px-7 sm:pt-12">
      <title>{`${title} · Masthead`}</title>
      <h1 className="text-title">{title}</h1>
      {lede !== undefined && <p className="mt-1.5 max-w-[60ch] text-soft">{lede}</p>}
      <div className="mt-8">{children}</div>
    </main>
  )
}

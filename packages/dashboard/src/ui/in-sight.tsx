import { type ReactNode, useEffect, useRef } from 'react'

/** What came up elsewhere on the page than where somebody just acted is brought before their eyes. */
export function InSight({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={place} className="scroll-my-6">
      {children}
    </div>
  )
}

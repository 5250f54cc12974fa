/** A whole page that is not known yet: nothing, and after a moment a word. */
export function Waiting() {
  return (
    <div role="status" className="after-a-moment grid min-h-dvh place-items-center text-soft">
      Loading…
    </div>
  )
}

/** The same inside a frame that stands already. */
export function PageWaiting() {
  return (
    <div role="status" className="after-a-moment mx-auto w-full max-w-[896px] px-4 pt-12 text-soft sm:px-7">
      Loading…
    </div>
  )
}

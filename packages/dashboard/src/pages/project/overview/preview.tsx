import { useState } from 'react'

/**
 * The site as it is, small. It runs no script of the site, takes no focus and no click, and has no origin: whoever
 * published it may be hostile.
 */
export function Preview({ url, name }: { url: string; name: string }) {
  const [loaded, setLoaded] = useState(false)
  // A browser refuses a plain page inside one that came over HTTPS.
  const showable = location.protocol === 'http:' || url.startsWith('https:')
  return (
    <figure className="w-full max-w-100 md:w-90">
      <div
        inert
        className="relative aspect-[16/10] overflow-hidden rounded-sheet border border-hairline bg-wash"
      >
        {showable ? (
          <iframe
            src={url}
            title={`Preview of ${name}`}
            sandbox=""
            tabIndex={-1}
            loading="lazy"
            referrerPolicy="no-referrer"
            onLoad={() => setLoaded(true)}
            className={`absolute top-0 left-0 size-[400%] origin-top-left scale-25 bg-[#fff] transition-opacity duration-150 ${loaded ? '' : 'opacity-0'}`}
          />
        ) : (
          <p className="grid h-full place-items-center px-6 text-center text-small text-soft">
            The site is served over plain HTTP, which cannot be shown inside this page. Open it to see it.
          </p>
        )}
      </div>
      <figcaption className="mt-2 text-small text-soft">As visitors see it, without its scripts</figcaption>
    </figure>
  )
}

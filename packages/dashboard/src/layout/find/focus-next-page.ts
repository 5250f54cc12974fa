/** By then whoever waited for a slow page is doing something else. */
const patience = 3_000

/** A page comes when it is loaded: the focus goes to it then, unless the page has put it somewhere itself. */
export function focusNextPage(): void {
  const before = document.getElementById('main')
  const until = performance.now() + patience
  function look() {
    const page = document.getElementById('main')
    if (page === null || page === before) {
      if (performance.now() < until) requestAnimationFrame(look)
    } else if (!page.contains(document.activeElement)) {
      page.focus({ preventScroll: true })
    }
  }
  requestAnimationFrame(look)
}

/** Where what had the focus is gone with a row, the focus goes to the page that held it, not to nowhere. */
export function focusPage(): void {
  // After a dialog has closed, which gives the focus back to where it came from.
  setTimeout(() => document.getElementById('main')?.focus({ preventScroll: true }))
}

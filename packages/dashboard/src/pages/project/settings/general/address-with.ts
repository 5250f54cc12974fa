/** The address that a project has with another slug, without its scheme; the slug is the first label of the host. */
export function addressWith(url: string, slug: string): string {
  return new URL(url).host.replace(/^[^.]+/, () => slug)
}

/** A name in a command to copy. Shells look for files that match a star; double quotes prevent that in all of them. */
export function shellName(name: string): string {
  return name.startsWith('*.') ? `"${name}"` : name
}

import { Problem } from '../problem.ts'

/** Between those who would give the same slug to different projects. */
export function slugLock(slug: string): string {
  return `slug:${slug}`
}

export function slugTaken(slug: string): Problem {
  return new Problem('slug_taken', `The slug ${slug} is taken by a project on this server.`)
}

import * as nodePath from 'node:path'

type Path = Pick<typeof nodePath.posix, 'relative' | 'resolve' | 'join' | 'sep'>

/** Whether a path without links is the folder itself or inside it. Another drive of Windows is not. */
export function isInside(root: string, target: string, path: Path = nodePath): boolean {
  const way = path.relative(root, target)
  return way !== '..' && !way.startsWith(`..${path.sep}`) && path.join(root, way) === target
}

/** A folder as it is written in a project file, which other systems read too: from here, with slashes. */
export function writtenFolder(cwd: string, folder: string, path: Path = nodePath): string {
  const way = path.relative(cwd, path.resolve(cwd, folder)) || '.'
  return path.sep === '\\' ? way.replaceAll('\\', '/') : way
}

/** "1 file", "1,200 files". */
export function fileCount(files: number): string {
  return files === 1 ? '1 file' : `${files.toLocaleString('en')} files`
}

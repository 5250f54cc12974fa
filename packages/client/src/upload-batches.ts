/** Small files travel together: a request for each would cost more than its content. */
const batch = { fileBytes: 256 * 1024, bytes: 4 * 1024 ** 2, files: 1_000 }

/** Which files go in one request: small ones together until a batch is full, large ones alone. */
export function uploadBatches<T extends { size: number }>(files: readonly T[]): T[][] {
  const requests: T[][] = []
  let together: T[] = []
  let bytes = 0
  for (const file of files) {
    if (file.size > batch.fileBytes) {
      requests.push([file])
      continue
    }
    if (together.length === batch.files || bytes + file.size > batch.bytes) {
      requests.push(together)
      together = []
      bytes = 0
    }
    together.push(file)
    bytes += file.size
  }
  if (together.length > 0) requests.push(together)
  return requests
}

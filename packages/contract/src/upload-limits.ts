/** What one deployment may hold. Operators can change these; clients read them to refuse early. */
export interface UploadLimits {
  files: number
  bytesPerFile: number
  bytesPerDeployment: number
}

const MiB = 1024 ** 2

export const defaultUploadLimits: UploadLimits = {
  files: 20_000,
  bytesPerFile: 100 * MiB,
  bytesPerDeployment: 1024 * MiB,
}

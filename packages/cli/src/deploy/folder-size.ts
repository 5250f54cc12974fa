import { defaultUploadLimits, type UploadLimits } from '@masthead/contract/deployments.ts'
import { problems } from '@masthead/contract/problems.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { CommandError } from '../errors/command-error.ts'
import { formatCount } from '../terminal/format.ts'

/** Counts what is in a folder, and throws once it is more than one deployment may have. The server checks again. */
export class FolderSize {
  readonly #whenTold: Promise<UploadLimits>
  /** Null until the server has told them. */
  #limits: UploadLimits | null = null
  #folders = 0
  #files = 0
  #bytes = 0
  #largest = { path: '', size: 0 }

  constructor(limits: UploadLimits | Promise<UploadLimits>) {
    this.#whenTold = Promise.resolve(limits)
    const learn = (told: UploadLimits) => {
      this.#limits = told
    }
    // The caller that asked for them hears of a failure.
    this.#whenTold.then(learn, () => {})
  }

  /** Waits for the limits if there is so much that it is probably beyond them. */
  async addFolder(): Promise<void> {
    this.#folders++
    if (this.#folders + this.#files > defaultUploadLimits.files) await this.#whenTold
    this.#check()
  }

  addFile(file: { path: string; size: number }): void {
    this.#files++
    this.#bytes += file.size
    if (file.size > this.#largest.size) this.#largest = file
    this.#check()
  }

  async finish(): Promise<void> {
    this.#limits = await this.#whenTold
    this.#check()
  }

  #check(): void {
    if (this.#limits === null) return
    const { files, bytesPerFile, bytesPerDeployment } = this.#limits
    const { path, size } = this.#largest
    if (size > bytesPerFile) {
      const sizes = `${formatBytes(size)}; the limit for a file is ${formatBytes(bytesPerFile)}`
      throw tooMuch('file_too_large', `${path.slice(1)} is ${sizes}.`)
    }
    if (this.#files > files || this.#folders > files) {
      const most = formatCount(files, this.#files > files ? 'file' : 'folder')
      throw tooMuch('too_many_files', `There are more than ${most}, the limit for one deployment.`)
    }
    if (this.#bytes > bytesPerDeployment) {
      const sizes = `${formatBytes(this.#bytes)}; the limit for a deployment is ${formatBytes(bytesPerDeployment)}`
      throw tooMuch('deployment_too_large', `The folder is ${sizes}.`)
    }
  }
}

function tooMuch(code: 'file_too_large' | 'too_many_files' | 'deployment_too_large', message: string) {
  return new CommandError(code, message, problems[code].fix)
}

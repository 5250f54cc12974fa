/** Why the server cannot start, in words for who starts it: no stack is shown. */
export class StartFault extends Error {
  override readonly name = 'StartFault'
}

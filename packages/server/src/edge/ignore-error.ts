/** For sockets and streams: an error is always followed by a close, and there is nobody left to tell. */
export function ignoreError(): void {}

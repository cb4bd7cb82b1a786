// Bytes that arrive in pieces of any size and are taken in pieces of given sizes.

export class ByteQueue {
  #pieces: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** The first `length` bytes, of which there must be as many. */
  take(length: number): Buffer {
    const whole = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    const bytes = Buffer.from(whole?.buffer ?? Buffer.alloc(0).buffer, whole?.byteOffset ?? 0, whole?.byteLength ?? 0);
    const rest = bytes.subarray(length);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return bytes.subarray(0, length);
  }
}
